import type { DomainEvent } from '@chairside/core';
import {
  type Change,
  type ChangeOf,
  type EventKey,
  emptyLedger,
  type Ledger,
} from '@chairside/core/ports';
import { keyOf, pair, type Table, take } from './table.ts';
import { firstOf, type StoredEvent, type Tables } from './tables.ts';

/** Applies one change; returns whether its condition held. */
export function applyChange(tables: Tables, change: Change): boolean {
  const { payments, keys, ledgers, setups, terminals, sweeps } = tables;
  switch (change.kind) {
    case 'insertKey':
      return keys.insert(pair(change.record.subject, change.record.key), change.record);
    case 'finishKey': {
      const id = pair(change.subject, change.key);
      const record = keys.get(id);
      if (record === undefined || record.problem !== undefined) return false;
      return keys.put(id, { ...record, problem: change.problem });
    }
    case 'deleteKeys':
      for (const { id } of keys.group('resource', change.resourceId)) keys.remove(id);
      return true;
    case 'insertPayment': {
      const { payment, books = payment.account, sweepFrom = payment.createdAt } = change;
      sweeps.insert(books, { books, sweptBefore: sweepFrom, triedAt: sweepFrom });
      return payments.insert(payment.id, payment);
    }
    case 'updatePayment':
      return update(payments, change.payment, change.expectedVersion);
    case 'deletePayment':
      return remove(payments, change);
    case 'moveLedger': {
      const ledger = moved(ledgers.get(change.appointmentId), change);
      return ledger !== undefined && ledgers.put(change.appointmentId, ledger);
    }
    case 'moveSlot':
      return moveSlot(tables, change);
    case 'appendEvent':
      return appendEvent(tables, change.event);
    case 'leaseEvent':
      return leaseEvent(tables, change);
    case 'postponeEvent':
      return postponeEvent(tables, change);
    case 'reviveEvent':
      return reviveEvent(tables, change);
    case 'removeEvent':
      return removeEvent(tables, change);
    case 'insertProcessorEvent':
      return tables.processorEvents.insert(change.id, { at: change.at });
    case 'insertRefund':
      return tables.refunds.insert(change.refund.id, change.refund);
    case 'updateRefund':
      return update(tables.refunds, change.refund, change.expectedVersion);
    case 'deleteRefund':
      return remove(tables.refunds, change);
    case 'insertDispute':
      return tables.disputes.insert(change.dispute.id, change.dispute);
    case 'updateDispute':
      return update(tables.disputes, change.dispute, change.expectedVersion);
    case 'insertShare':
      return tables.shares.insert(change.share.id, change.share);
    case 'updateShare':
      return update(tables.shares, change.share, change.expectedVersion);
    case 'insertTender':
      return tables.tenders.insert(change.tender.id, change.tender);
    case 'updateTender':
      return update(tables.tenders, change.tender, change.expectedVersion);
    case 'insertMovement':
      return tables.movements.insert(change.movement.id, change.movement);
    case 'putSettlement': {
      const { settlement } = change;
      const before = tables.settlements.get(settlement.id);
      return tables.settlements.put(settlement.id, { ...before, ...settlement });
    }
    case 'putPayout': {
      const { payout } = change;
      const { replacedBy } = tables.payouts.get(payout.id) ?? {};
      const kept = replacedBy === undefined ? payout : { replacedBy, ...payout };
      return tables.payouts.put(payout.id, kept);
    }
    case 'insertReview':
      return tables.reviews.insert(change.review.id, change.review);
    case 'updateReview':
      return update(tables.reviews, change.review, change.expectedVersion);
    case 'insertSetup':
      return setups.insert(change.setup.id, change.setup);
    case 'updateSetup':
      return update(setups, change.setup, change.expectedVersion);
    case 'deleteSetup':
      return remove(setups, change);
    case 'putSweep':
      return sweeps.put(change.swept.books, change.swept);
    case 'putFact': {
      const { name, version } = change.fact;
      const stored = tables.facts.get(name)?.version ?? 0;
      return stored === version - 1 && tables.facts.put(name, change.fact);
    }
    case 'insertActor': {
      const { actor } = change;
      const isTaken = tables.actors.group('subject', actor.subject).length > 0;
      return !isTaken && tables.actors.insert(`${actor.number}`, actor);
    }
    case 'renameActor': {
      const { number, subject } = change;
      const isTaken = tables.actors.group('subject', subject).length > 0;
      if (isTaken || tables.actors.get(`${number}`) === undefined) return false;
      return tables.actors.put(`${number}`, { number, subject });
    }
    case 'insertTerminal': {
      const { id, deviceIdentifier } = change.terminal;
      const isTaken = terminals.group('device', deviceIdentifier).length > 0;
      return !isTaken && terminals.insert(id, change.terminal);
    }
    case 'deleteTerminal':
      return terminals.remove(change.id);
    case 'forget':
      return forget(tables, change);
    case 'deleteFinancialAccount': {
      const account = tables.financialAccounts.get(change.id);
      if (account?.businessId !== change.businessId || account.isDefault) return false;
      return tables.financialAccounts.remove(change.id);
    }
    case 'deleteSchedule': {
      const isOwn = tables.schedules.get(change.id)?.barberId === change.barberId;
      return isOwn && tables.schedules.remove(change.id);
    }
    case 'putAppointment':
      return tables.appointments.put(change.appointment.id, change.appointment);
    case 'putBarber':
      return tables.barbers.put(change.barber.id, change.barber);
    case 'putBusiness':
      return tables.businesses.put(change.business.id, change.business);
    case 'putFinancialAccount':
      return putFinancialAccount(tables, change);
    case 'putSchedule':
      return tables.schedules.put(change.schedule.id, change.schedule);
    case 'putPayoutPreferences':
      return tables.payoutPreferences.put(change.preferences.businessId, change.preferences);
  }
}

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

function appendEvent(tables: Tables, event: DomainEvent): boolean {
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
