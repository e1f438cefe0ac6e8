import type { Change, ChangeKind, ChangeOf, Commit } from '@chairside/core/ports';
import { type Cell, changingColumns, tables } from '@chairside/core/storage';
import { kinds } from './functions/commit.ts';
import type { Sized } from './queue.ts';

/** The kinds of a create and a capture, which a group writes with one statement for each kind. */
export type SetKind =
  | 'insertKey'
  | 'insertPayment'
  | 'updatePayment'
  | 'moveLedger'
  | 'appendEvent';

interface EncodedChange {
  readonly kind: ChangeKind;
  /** In JSON. */
  readonly text: string;
}

/** A commit for a group; without changes, it is the question whether its id is durable. */
export interface EncodedCommit extends Sized {
  /** Its id and its time, in JSON. */
  readonly head: string;
  readonly changes: readonly EncodedChange[] | undefined;
  /** The appointments that it changes, as numbers. Commits with the same number take turns. */
  readonly turns: readonly number[];
  /** Names the rows that it writes, if all may be written with those of other commits. */
  readonly rows: readonly string[] | undefined;
}

/** The cells of a change. Other changes are sent with the names of their members. */
const encoders: { readonly [Kind in ChangeKind]?: (change: ChangeOf<Kind>) => readonly Cell[] } = {
  insertKey: ({ record }) => tables.keys.cells(record),
  insertPayment: ({ payment, books, sweepFrom }) => [
    ...tables.payments.cells(payment),
    books,
    sweepFrom,
  ],
  updatePayment: ({ payment, expectedVersion }) => [
    payment.id,
    ...changingColumns.cells(payment),
    expectedVersion,
  ],
  moveLedger: (move) => [
    move.appointmentId,
    move.openPayments,
    move.reservedMinor,
    move.capturedMinor,
    move.tenderedMinor ?? 0n,
    move.tipsMinor ?? 0n,
    move.currency,
    move.maxOpenPayments,
    move.maxCommittedMinor,
    move.maxTipsMinor,
    move.minPaidMinor,
  ],
  appendEvent: ({ event: { subject, version, type, occurredAt, data } }) => [
    subject,
    version,
    type,
    occurredAt,
    JSON.stringify(data),
  ],
  finishKey: ({ subject, key, problem }) => [subject, key, JSON.stringify(problem)],
  insertRefund: ({ refund }) => tables.refunds.cells(refund),
  updateRefund: ({ refund, expectedVersion }) => [...tables.refunds.cells(refund), expectedVersion],
  insertDispute: ({ dispute }) => tables.disputes.cells(dispute),
  updateDispute: ({ dispute, expectedVersion }) => [
    ...tables.disputes.cells(dispute),
    expectedVersion,
  ],
  insertTender: ({ tender }) => tables.tenders.cells(tender),
  updateTender: ({ tender, expectedVersion }) => [...tables.tenders.cells(tender), expectedVersion],
  insertShare: ({ share }) => tables.shares.cells(share),
  updateShare: ({ share, expectedVersion }) => [...tables.shares.cells(share), expectedVersion],
  insertMovement: ({ movement }) => tables.movements.cells(movement),
  putSettlement: ({ settlement }) => tables.settlements.cells(settlement),
  putPayout: ({ payout }) => tables.payouts.cells(payout),
  insertReview: ({ review }) => tables.reviews.cells(review),
  updateReview: ({ review, expectedVersion }) => [...tables.reviews.cells(review), expectedVersion],
  insertSetup: ({ setup }) => tables.setups.cells(setup),
  updateSetup: ({ setup, expectedVersion }) => [...tables.setups.cells(setup), expectedVersion],
  putSweep: ({ swept }) => tables.sweeps.cells(swept),
  putFact: ({ fact }) => tables.facts.cells(fact),
  insertActor: ({ actor }) => tables.actors.cells(actor),
  insertTerminal: ({ terminal }) => tables.terminals.cells(terminal),
  putAppointment: ({ appointment }) => tables.appointments.cells(appointment),
  putBarber: ({ barber }) => tables.barbers.cells(barber),
  putBusiness: ({ business }) => tables.businesses.cells(business),
  putFinancialAccount: ({ account }) => tables.financial_accounts.cells(account),
  putSchedule: ({ schedule }) => tables.schedules.cells(schedule),
  putPayoutPreferences: ({ preferences }) => tables.payout_preferences.cells(preferences),
};

/** Throws for an invalid commit, which hosts without types may pass. */
export function encodeCommit({ id, at, changes }: Commit): EncodedCommit {
  const head = `${JSON.stringify(id)},${JSON.stringify(at)}`;
  const encoded = changes.map(encodeChange);
  const rows = [`commit ${id}`, ...changes.map(rowOf)];
  const mayShare = rows.every((row) => row !== undefined) && new Set(rows).size === rows.length;
  return {
    head,
    changes: encoded,
    characters: encoded.reduce((sum, { text }) => sum + text.length, head.length),
    turns: changes.flatMap(appointmentOf).map(turnOf),
    rows: mayShare ? rows : undefined,
  };
}

export function encodeQuestion(id: string): EncodedCommit {
  const head = JSON.stringify(id);
  return { head, changes: undefined, characters: head.length, turns: [], rows: undefined };
}

function encodeChange(change: Change): EncodedChange {
  const { kind } = change;
  if (!Object.hasOwn(kinds, kind)) throw new TypeError(`Unknown change ${kind}`);
  // cast: each encoder takes the change of its own kind, which is its key
  const encode = encoders[kind] as ((change: Change) => readonly Cell[]) | undefined;
  // JSON has no 64-bit integers; PostgreSQL accepts them as text.
  const cells = encode?.(change).map((cell) => (typeof cell === 'bigint' ? `${cell}` : cell));
  return { kind, text: JSON.stringify(cells ?? change) };
}

/** Names the row that a change writes; `undefined` if it is not of a `SetKind`. */
function rowOf(change: Change): string | undefined {
  switch (change.kind) {
    case 'insertKey':
      return `key ${change.record.subject}\0${change.record.key}`;
    case 'insertPayment':
    case 'updatePayment':
      return `payment ${change.payment.id}`;
    case 'moveLedger':
      return `ledger ${change.appointmentId}`;
    case 'appendEvent':
      return `event ${change.event.subject}`;
    default:
      return undefined;
  }
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
