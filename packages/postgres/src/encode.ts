import type { Change, ChangeKind, ChangeOf, Commit, MethodSetup } from '@chairside/core';
import {
  businessCells,
  type Cell,
  disputeCells,
  packReference,
  paymentCells,
  refundCells,
} from '@chairside/core/storage';
import { exactly } from './exact-json.ts';
import type { WrittenKind } from './functions/commit.ts';

/** A commit as the argument of the server's function. */
export interface EncodedCommit {
  readonly text: string;
  /** The kinds of its changes, to name a failed one. */
  readonly kinds: readonly ChangeKind[];
  /** The appointments that it changes, as numbers. Commits with the same number take turns. */
  readonly turns: readonly number[];
}

type Encoders = {
  readonly [Kind in ChangeKind & WrittenKind]: (change: ChangeOf<Kind>) => object;
};

/** The server's function uses the change's own member names. */
const asItIs = (change: Change) => change;
const record = (kind: ChangeKind, ...cells: readonly Cell[]) => ({
  kind,
  record: cells.map((cell) => cell ?? null),
});

/**
 * Records are sent as the cells of their columns, in the order of `columns`. JSON is sent as text.
 */
const encoders: Encoders = {
  insertKey: ({ kind, record: { subject, key, operation, fingerprint, ...others } }) =>
    record(
      kind,
      ...[subject, key, operation, fingerprint, others.resourceId],
      others.problem === undefined ? null : JSON.stringify(others.problem),
      others.forgetAt,
    ),
  finishKey: (change) => ({ ...change, problem: JSON.stringify(change.problem) }),
  deleteKeys: asItIs,
  insertPayment: ({ kind, payment, ledger, sweepFrom }) => ({
    ...record(kind, ...paymentCells(payment)),
    ledger,
    sweepFrom,
  }),
  updatePayment: ({ kind, payment, expectedVersion }) => ({
    ...record(kind, ...paymentCells(payment)),
    expectedVersion,
  }),
  deletePayment: asItIs,
  moveLedger: asItIs,
  appendEvent: ({ kind, event }) => ({ kind, ...event, data: JSON.stringify(event.data) }),
  leaseEvent: asItIs,
  postponeEvent: asItIs,
  reviveEvent: asItIs,
  removeEvent: asItIs,
  insertProcessorEvent: asItIs,
  insertMoneyBack: ({ moneyBack: { account, kind, id, paymentId, amountMinor, at } }) =>
    record('insertMoneyBack', account, kind, id, paymentId, amountMinor, at),
  insertRefund: ({ kind, refund }) => record(kind, ...refundCells(refund)),
  updateRefund: ({ kind, refund, expectedVersion }) => ({
    ...record(kind, ...refundCells(refund)),
    expectedVersion,
  }),
  deleteRefund: asItIs,
  insertDispute: ({ kind, dispute }) => record(kind, ...disputeCells(dispute)),
  updateDispute: ({ kind, dispute, expectedVersion }) => ({
    ...record(kind, ...disputeCells(dispute)),
    expectedVersion,
  }),
  insertReview: ({ kind, review: { id, reason, account, paymentId, reference, ...review } }) =>
    record(
      kind,
      ...[id, reason, account, paymentId, reference],
      ...[review.openedAt, review.resolvedAt, review.note],
    ),
  resolveReview: asItIs,
  resolvePaymentReviews: asItIs,
  insertSetup: ({ kind, setup }) => record(kind, ...setupCells(setup)),
  updateSetup: ({ kind, setup, expectedVersion }) => ({
    ...record(kind, ...setupCells(setup)),
    expectedVersion,
  }),
  deleteSetup: asItIs,
  putSweep: ({ kind, swept }) => record(kind, swept.ledger, swept.sweptBefore, swept.triedAt),
  insertTerminal: ({ kind, terminal }) =>
    record(
      kind,
      ...[terminal.id, terminal.deviceIdentifier, terminal.barberId, terminal.businessId],
      ...[terminal.platform, terminal.deviceModel, terminal.osVersion, terminal.appVersion],
      ...[terminal.terminalSdkVersion, terminal.createdAt, terminal.updatedAt],
    ),
  deleteTerminal: asItIs,
  forget: asItIs,
  deleteFinancialAccount: asItIs,
  deleteSchedule: asItIs,
  putAppointment: ({ kind, appointment }) => {
    const { id, businessId, amountDueMinor } = appointment;
    return record(kind, id, businessId, amountDueMinor, packReference(appointment));
  },
  putBarber: ({ kind, barber }) => record(kind, barber.id, barber.businessId),
  putBusiness: ({ kind, business }) => record(kind, ...businessCells(business)),
  putFinancialAccount: ({ kind, account }) =>
    record(
      kind,
      ...[account.id, account.businessId, account.bankName, account.maskedAccountNumber],
      ...[account.currency, account.isDefault],
    ),
  putSchedule: ({ kind, schedule: { id, barberId, name, hours } }) =>
    record(kind, id, barberId, name, JSON.stringify(hours)),
  putPayoutPreferences: ({ kind, preferences: { businessId, settings } }) =>
    record(kind, businessId, JSON.stringify(settings)),
};

/** Throws for an invalid commit, which hosts without types may pass. */
export function encodeCommit({ id, at, changes }: Commit): EncodedCommit {
  const encoded = changes.map((change) => {
    // cast: each encoder takes the change of its own kind, which is its key
    const encode = encoders[change.kind] as ((change: Change) => object) | undefined;
    if (encode === undefined) throw new TypeError(`Unknown change ${change.kind}`);
    return encode(change);
  });
  return {
    text: JSON.stringify({ id, at, changes: encoded }, exactly),
    kinds: changes.map(({ kind }) => kind),
    turns: changes.flatMap(appointmentOf).map(turnOf),
  };
}

function appointmentOf(change: Change): readonly string[] {
  switch (change.kind) {
    case 'moveLedger':
      return [change.appointmentId];
    case 'insertPayment':
    case 'updatePayment':
      return [change.payment.appointment.id];
    default:
      return [];
  }
}

/** Any 32-bit hash will do, if all nodes use the same. */
function turnOf(appointmentId: string): number {
  let hash = 0;
  for (let index = 0; index < appointmentId.length; index += 1) {
    hash = (Math.imul(hash, 31) + appointmentId.charCodeAt(index)) | 0;
  }
  return hash;
}

/** Encodes the question whether the commit with this id is durable. */
export function encodeQuestion(id: string): EncodedCommit {
  return { text: JSON.stringify({ id }), kinds: [], turns: [] };
}

function setupCells({ work, ...setup }: MethodSetup): readonly Cell[] {
  return [
    ...[setup.id, setup.version, setup.customerId, setup.savePaymentMethod],
    ...[setup.clientSecret, setup.reference, setup.createdAt, setup.expiresAt],
    setup.outcome,
    ...[work?.kind, work?.cause, work?.fence, work?.attempt, work?.leaseUntil],
    setup.nextCheckAt,
  ];
}
