import type { DomainEvent } from '@chairside/core';
import {
  type Change,
  type ChangeKind,
  type ChangeOf,
  type EventKey,
  emptyLedger,
  type Ledger,
} from '@chairside/core/ports';
import { keyOf, pair, type Table, take } from './table.ts';
import { firstOf, type StoredEvent, type Tables } from './tables.ts';

/** Applies one change; returns whether its condition held. */
export function applyChange(tables: Tables, change: Change): boolean {
  // cast: each kind has a function that takes the changes of this kind
  const apply = byKind[change.kind] as (tables: Tables, change: Change) => boolean;
  return apply(tables, change);
}

const byKind: {
  readonly [Kind in ChangeKind]: (tables: Tables, change: ChangeOf<Kind>) => boolean;
} = {
  insertKey: ({ keys }, { record }) => keys.insert(pair(record.subject, record.key), record),
  finishKey({ keys }, { subject, key, problem }) {
    const id = pair(subject, key);
    const record = keys.get(id);
    if (record === undefined || record.problem !== undefined) return false;
    return keys.put(id, { ...record, problem });
  },
  deleteKeys({ keys }, { resourceId }) {
    for (const { id } of keys.group('resource', resourceId)) keys.remove(id);
    return true;
  },
  insertPayment({ payments, sweeps }, { payment, ...sweep }) {
    const { books = payment.account, sweepFrom = payment.createdAt } = sweep;
    sweeps.insert(books, { books, sweptBefore: sweepFrom, triedAt: sweepFrom });
    return payments.insert(payment.id, payment);
  },
  updatePayment: (of, change) => update(of.payments, change.payment, change.expectedVersion),
  deletePayment: (of, change) => remove(of.payments, change),
  moveLedger({ ledgers }, change) {
    const ledger = moved(ledgers.get(change.appointmentId), change);
    return ledger !== undefined && ledgers.put(change.appointmentId, ledger);
  },
  moveSlot,
  appendEvent,
  leaseEvent,
  postponeEvent,
  reviveEvent,
  removeEvent,
  insertProcessorEvent: (of, { id, at }) => of.processorEvents.insert(id, { at }),
  insertRefund: (of, { refund }) => of.refunds.insert(refund.id, refund),
  updateRefund: (of, change) => update(of.refunds, change.refund, change.expectedVersion),
  deleteRefund: (of, change) => remove(of.refunds, change),
  insertDispute: (of, { dispute }) => of.disputes.insert(dispute.id, dispute),
  updateDispute: (of, change) => update(of.disputes, change.dispute, change.expectedVersion),
  insertShare: (of, { share }) => of.shares.insert(share.id, share),
  updateShare: (of, change) => update(of.shares, change.share, change.expectedVersion),
  insertTender: (of, { tender }) => of.tenders.insert(tender.id, tender),
  updateTender: (of, change) => update(of.tenders, change.tender, change.expectedVersion),
  insertMovement: (of, { movement }) => of.movements.insert(movement.id, movement),
  putSettlement({ settlements }, { settlement }) {
    const before = settlements.get(settlement.id);
    return settlements.put(settlement.id, { ...before, ...settlement });
  },
  putPayout({ payouts }, { payout }) {
    const { replacedBy } = payouts.get(payout.id) ?? {};
    return payouts.put(payout.id, replacedBy === undefined ? payout : { replacedBy, ...payout });
  },
  insertReview: (of, { review }) => of.reviews.insert(review.id, review),
  updateReview: (of, change) => update(of.reviews, change.review, change.expectedVersion),
  insertSetup: (of, { setup }) => of.setups.insert(setup.id, setup),
  updateSetup: (of, change) => update(of.setups, change.setup, change.expectedVersion),
  deleteSetup: (of, change) => remove(of.setups, change),
  putSweep: ({ sweeps }, { swept }) => sweeps.put(swept.books, swept),
  putFact({ facts }, { fact }) {
    const stored = facts.get(fact.name)?.version ?? 0;
    return stored === fact.version - 1 && facts.put(fact.name, fact);
  },
  insertActor({ actors }, { actor }) {
    const isTaken = actors.group('subject', actor.subject).length > 0;
    return !isTaken && actors.insert(`${actor.number}`, actor);
  },
  renameActor({ actors }, { number, subject }) {
    const isTaken = actors.group('subject', subject).length > 0;
    if (isTaken || actors.get(`${number}`) === undefined) return false;
    return actors.put(`${number}`, { number, subject });
  },
  insertTerminal({ terminals }, { terminal }) {
    const isTaken = terminals.group('device', terminal.deviceIdentifier).length > 0;
    return !isTaken && terminals.insert(terminal.id, terminal);
  },
  deleteTerminal: ({ terminals }, { id }) => terminals.remove(id),
  forget,
  deleteFinancialAccount({ financialAccounts }, { id, businessId }) {
    const account = financialAccounts.get(id);
    if (account?.businessId !== businessId || account.isDefault) return false;
    return financialAccounts.remove(id);
  },
  deleteSchedule({ schedules }, { id, barberId }) {
    return schedules.get(id)?.barberId === barberId && schedules.remove(id);
  },
  putAppointment: (of, { appointment }) => of.appointments.put(appointment.id, appointment),
  putBarber: ({ barbers }, { barber }) => barbers.put(barber.id, barber),
  putBusiness: ({ businesses }, { business }) => businesses.put(business.id, business),
  putFinancialAccount,
  putSchedule: ({ schedules }, { schedule }) => schedules.put(schedule.id, schedule),
  putPayoutPreferences: (of, { preferences }) =>
    of.payoutPreferences.put(preferences.businessId, preferences),
};

interface Versioned {
  readonly id: string;
  readonly version: number;
}
type VersionedTable<T extends Versioned> = Pick<Table<T>, 'get' | 'put' | 'remove'>;

function update<T extends Versioned>(
  table: VersionedTable<T>,
  record: T,
  expectedVersion: number,
): boolean {
  return table.get(record.id)?.version === expectedVersion && table.put(record.id, record);
}

function remove<T extends Versioned>(
  table: VersionedTable<T>,
  { id, expectedVersion }: { readonly id: string; readonly expectedVersion: number },
): boolean {
  return table.get(id)?.version === expectedVersion && table.remove(id);
}

/** The ledger after the move; `undefined` if that exceeds a bound. */
function moved(before: Ledger | undefined, move: ChangeOf<'moveLedger'>): Ledger | undefined {
  const { appointmentId, capturedMinor, reservedMinor, openPayments, currency, chargeId, ...more } =
    before ?? emptyLedger(move.appointmentId);
  const tenderedMinor = (more.tenderedMinor ?? 0n) + (move.tenderedMinor ?? 0n);
  const tipsMinor = (more.tipsMinor ?? 0n) + (move.tipsMinor ?? 0n);
  const sums = {
    capturedMinor: capturedMinor + move.capturedMinor,
    reservedMinor: reservedMinor + move.reservedMinor,
  };
  const committedMinor = sums.capturedMinor + sums.reservedMinor + tenderedMinor;
  const after = {
    appointmentId,
    ...sums,
    ...(tenderedMinor !== 0n && { tenderedMinor }),
    ...(tipsMinor !== 0n && { tipsMinor }),
    openPayments: openPayments + move.openPayments,
    ...(committedMinor !== 0n && { currency: currency ?? move.currency }),
    ...(chargeId !== undefined && { chargeId }),
  };
  const { maxOpenPayments, maxCommittedMinor, maxTipsMinor, minPaidMinor } = move;
  const isOther = currency !== undefined && currency !== move.currency;
  if (isOther && maxCommittedMinor !== undefined) return undefined;
  const isWithin =
    (maxOpenPayments === undefined || after.openPayments <= maxOpenPayments) &&
    (maxCommittedMinor === undefined || committedMinor <= maxCommittedMinor) &&
    (maxTipsMinor === undefined || tipsMinor <= maxTipsMinor) &&
    (minPaidMinor === undefined || sums.capturedMinor + tenderedMinor >= minPaidMinor);
  return isWithin ? after : undefined;
}

function moveSlot({ ledgers }: Tables, { appointmentId, ...slot }: ChangeOf<'moveSlot'>): boolean {
  const { chargeId: holder, ...ledger } = ledgers.get(appointmentId) ?? emptyLedger(appointmentId);
  const { chargeId, move } = slot;
  if (move === 'free') return holder !== chargeId || ledgers.put(appointmentId, ledger);
  if (holder !== undefined) return move === 'keep';
  return ledgers.put(appointmentId, { ...ledger, chargeId });
}

function forget(tables: Tables, change: ChangeOf<'forget'>): true {
  const { keys, commits, processorEvents } = tables;
  const { now, limit, commitsBefore, processorEventsBefore } = change;
  for (const { id } of take(keys.upTo('forget', now), limit)) keys.remove(id);
  for (const { id } of take(commits.upTo('at', commitsBefore - 1), limit)) commits.remove(id);
  const old = take(processorEvents.upTo('at', processorEventsBefore - 1), limit);
  for (const { id } of old) processorEvents.remove(id);
  return forgetEvents(tables, change);
}

function putFinancialAccount(
  { financialAccounts }: Tables,
  { account }: ChangeOf<'putFinancialAccount'>,
): true {
  const { id, businessId, isDefault } = account;
  for (const other of isDefault ? financialAccounts.group('business', businessId) : []) {
    if (other.record.isDefault) {
      financialAccounts.put(other.id, { ...other.record, isDefault: false });
    }
  }
  return financialAccounts.put(id, account);
}

function appendEvent(tables: Tables, { event }: ChangeOf<'appendEvent'>): boolean {
  const before = firstOf(tables, event.subject);
  const isNext = before === undefined || event.version < before.event.version;
  const stored = { event, attempts: 0, isDead: false };
  const record = isNext ? { ...stored, deliverAt: event.occurredAt } : stored;
  return tables.events.insert(keyOf(event), record);
}

function leaseEvent(tables: Tables, change: ChangeOf<'leaseEvent'>): boolean {
  const { attempts, deliverAt } = change;
  const stored = tables.events.get(keyOf(change));
  if (stored === undefined || stored.isDead || stored.attempts !== attempts) return false;
  if (!isFirst(tables, change)) return false;
  return putEvent(tables, { ...stored, attempts: attempts + 1, deliverAt });
}

function postponeEvent(tables: Tables, change: ChangeOf<'postponeEvent'>): boolean {
  const stored = tables.events.get(keyOf(change));
  if (stored === undefined || isTakenUpSince(stored, change)) return false;
  const { event, attempts } = stored;
  const { deliverAt } = change;
  return deliverAt === undefined
    ? putEvent(tables, { event, attempts, isDead: true })
    : putEvent(tables, { event, attempts, isDead: false, deliverAt });
}

function reviveEvent(tables: Tables, change: ChangeOf<'reviveEvent'>): boolean {
  const stored = tables.events.get(keyOf(change));
  if (!stored?.isDead) return false;
  const { deliverAt } = change;
  return putEvent(tables, { event: stored.event, attempts: 0, isDead: false, deliverAt });
}

function removeEvent(tables: Tables, change: ChangeOf<'removeEvent'>): boolean {
  const stored = tables.events.get(keyOf(change));
  if (!isFirst(tables, change) || stored === undefined || isTakenUpSince(stored, change)) {
    return false;
  }
  tables.events.remove(keyOf(change));
  return wakeNext(tables, change.subject, () => change.deliverAt);
}

/** Removes events that have been due for long without delivery. */
function forgetEvents(
  tables: Tables,
  { now, eventsBefore, limit }: Pick<ChangeOf<'forget'>, 'now' | 'eventsBefore' | 'limit'>,
): true {
  const { events } = tables;
  for (const { id, record } of take(events.upTo('untaken', eventsBefore - 1), limit)) {
    const { event, deliverAt = now } = record;
    // Still due at the time of its writer, whose clock may be far behind: it counts from now on.
    if (deliverAt === event.occurredAt) {
      events.put(id, { ...record, deliverAt: now });
      continue;
    }
    events.remove(id);
    wakeNext(tables, event.subject, ({ occurredAt }) => Math.max(occurredAt, deliverAt));
  }
  return true;
}

export function isFirst(tables: Tables, { subject, version }: EventKey): boolean {
  return firstOf(tables, subject)?.event.version === version;
}

/** An expired lease of the event has no effect any more. */
function isTakenUpSince(stored: StoredEvent, { attempts }: { readonly attempts?: number }) {
  return attempts !== undefined && attempts !== stored.attempts;
}

function putEvent({ events }: Tables, stored: StoredEvent): true {
  return events.put(keyOf(stored.event), stored);
}

/** The event behind a removed one is now the first of its subject. */
function wakeNext(
  tables: Tables,
  subject: string,
  deliverAt: (event: DomainEvent) => number,
): true {
  const next = firstOf(tables, subject);
  if (next === undefined || next.isDead || next.deliverAt !== undefined) return true;
  return putEvent(tables, { ...next, deliverAt: deliverAt(next.event) });
}
