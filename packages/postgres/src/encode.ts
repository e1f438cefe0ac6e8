import type { Change, ChangeKind, ChangeOf, Commit } from '@chairside/core';
import { type Columns, tables } from '@chairside/core/storage';
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
/** The record as the cells of its columns; JSON is sent as text. */
const row = <R>(kind: ChangeKind, { cells }: Columns<R>, record: R) => ({
  kind,
  record: cells(record).map((cell) => cell ?? null),
});

const encoders: Encoders = {
  insertKey: ({ kind, record }) => row(kind, tables.keys, record),
  finishKey: (change) => ({ ...change, problem: JSON.stringify(change.problem) }),
  deleteKeys: asItIs,
  insertPayment: ({ kind, payment, ledger, sweepFrom }) => ({
    ...row(kind, tables.payments, payment),
    ledger,
    sweepFrom,
  }),
  updatePayment: ({ kind, payment, expectedVersion }) => ({
    ...row(kind, tables.payments, payment),
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
  insertMoneyBack: ({ kind, moneyBack }) => row(kind, tables.money_backs, moneyBack),
  insertRefund: ({ kind, refund }) => row(kind, tables.refunds, refund),
  updateRefund: ({ kind, refund, expectedVersion }) => ({
    ...row(kind, tables.refunds, refund),
    expectedVersion,
  }),
  deleteRefund: asItIs,
  insertDispute: ({ kind, dispute }) => row(kind, tables.disputes, dispute),
  updateDispute: ({ kind, dispute, expectedVersion }) => ({
    ...row(kind, tables.disputes, dispute),
    expectedVersion,
  }),
  insertReview: ({ kind, review }) => row(kind, tables.reviews, review),
  resolveReview: asItIs,
  countReview: asItIs,
  resolvePaymentReviews: asItIs,
  insertSetup: ({ kind, setup }) => row(kind, tables.setups, setup),
  updateSetup: ({ kind, setup, expectedVersion }) => ({
    ...row(kind, tables.setups, setup),
    expectedVersion,
  }),
  deleteSetup: asItIs,
  putSweep: ({ kind, swept }) => row(kind, tables.sweeps, swept),
  insertTerminal: ({ kind, terminal }) => row(kind, tables.terminals, terminal),
  deleteTerminal: asItIs,
  forget: asItIs,
  deleteFinancialAccount: asItIs,
  deleteSchedule: asItIs,
  putAppointment: ({ kind, appointment }) => row(kind, tables.appointments, appointment),
  putBarber: ({ kind, barber }) => row(kind, tables.barbers, barber),
  putBusiness: ({ kind, business }) => row(kind, tables.businesses, business),
  putFinancialAccount: ({ kind, account }) => row(kind, tables.financial_accounts, account),
  putSchedule: ({ kind, schedule }) => row(kind, tables.schedules, schedule),
  putPayoutPreferences: ({ kind, preferences }) =>
    row(kind, tables.payout_preferences, preferences),
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

/** Encodes the question whether the commit with this id is durable. A commit has changes. */
export function encodeQuestion(id: string): EncodedCommit {
  return { text: JSON.stringify({ id }), kinds: [], turns: [] };
}
