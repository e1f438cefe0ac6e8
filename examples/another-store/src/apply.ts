import type { Business, FinancialAccount, Schedule } from '@chairside/core';
import type {
  Change,
  ChangeOf,
  KeyRecord,
  Ledger,
  MethodSetup,
  Payment,
  Payout,
  Refund,
  Review,
  SettlementEntry,
} from '@chairside/core/ports';
import { emptyLedger } from '@chairside/core/ports';
import * as events from './events.ts';
import { everything, type Records } from './records.ts';

export const keyId = (subject: string, key: string) => JSON.stringify([subject, key]);

/** The label of an account's entries that name no business. */
export const unknownOf = (account: string) => JSON.stringify([account]);

const ofPayment = (payment: Payment) => ({
  parent: payment.appointment.id,
  at: payment.createdAt,
  due: payment.nextCheckAt,
  label: payment.capturedAt === undefined ? undefined : payment.businessId,
});
const ofEntry = ({ paymentId, businessId, account, at }: SettlementEntry) => ({
  parent: paymentId,
  label: businessId ?? unknownOf(account),
  at,
});
const ofSetup = (setup: MethodSetup) => ({
  parent: setup.customerId,
  at: setup.createdAt,
  due: setup.nextCheckAt,
});
const ofKey = ({ resourceId, forgetAt }: KeyRecord) => ({
  parent: resourceId,
  due: forgetAt,
});
const ofReview = ({ paymentId, resolvedAt }: Review) => ({
  parent: paymentId,
  label: resolvedAt === undefined ? 'open' : 'resolved',
});

/**
 * Applies one change in the transaction that is open, and says whether its condition held. SQLite lets
 * one connection write at a time, so a read in this transaction stays true until it ends. In another
 * database the condition belongs into the statement that writes.
 */
export function apply(to: Records, change: Change): boolean {
  const hasVersion = (collection: string, id: string, version: number) =>
    to.get<{ readonly version: number }>(collection, id)?.version === version;

  switch (change.kind) {
    case 'insertKey': {
      const { record } = change;
      return to.insert('keys', keyId(record.subject, record.key), record, ofKey(record));
    }
    case 'finishKey': {
      const id = keyId(change.subject, change.key);
      const record = to.get<KeyRecord>('keys', id);
      if (record === undefined || record.problem !== undefined) return false;
      return to.put('keys', id, { ...record, problem: change.problem }, ofKey(record));
    }
    case 'deleteKeys':
      for (const { subject, key } of to.newest<KeyRecord>('keys', change.resourceId, everything)) {
        to.remove('keys', keyId(subject, key));
      }
      return true;
    case 'insertPayment': {
      const { payment, books = payment.account, sweepFrom = payment.createdAt } = change;
      const swept = { books, sweptBefore: sweepFrom, triedAt: sweepFrom };
      to.insert('sweeps', books, swept, { due: swept.sweptBefore });
      return to.insert('payments', payment.id, payment, ofPayment(payment));
    }
    case 'updatePayment':
      return (
        hasVersion('payments', change.payment.id, change.expectedVersion) &&
        to.put('payments', change.payment.id, change.payment, ofPayment(change.payment))
      );
    case 'deletePayment':
      return (
        hasVersion('payments', change.id, change.expectedVersion) &&
        to.remove('payments', change.id)
      );
    case 'moveLedger':
      return moveLedger(to, change);
    case 'moveSlot':
      return moveSlot(to, change);
    case 'appendEvent':
      return events.append(to, change.event);
    case 'leaseEvent':
      return events.lease(to, change);
    case 'postponeEvent':
      return events.postpone(to, change);
    case 'reviveEvent':
      return events.revive(to, change);
    case 'removeEvent':
      return events.remove(to, change);
    case 'insertProcessorEvent':
      return to.insert('processorEvents', change.id, { id: change.id }, { due: change.at });
    case 'insertRefund':
      return to.insert('refunds', change.refund.id, change.refund, ofRefund(change.refund));
    case 'updateRefund':
      return (
        hasVersion('refunds', change.refund.id, change.expectedVersion) &&
        to.put('refunds', change.refund.id, change.refund, ofRefund(change.refund))
      );
    case 'deleteRefund':
      return (
        hasVersion('refunds', change.id, change.expectedVersion) && to.remove('refunds', change.id)
      );
    case 'insertDispute':
    case 'updateDispute': {
      const { dispute } = change;
      const index = { parent: dispute.paymentId, label: dispute.state };
      if (change.kind === 'insertDispute') return to.insert('disputes', dispute.id, dispute, index);
      return (
        hasVersion('disputes', dispute.id, change.expectedVersion) &&
        to.put('disputes', dispute.id, dispute, index)
      );
    }
    case 'insertTender':
    case 'updateTender': {
      const { tender } = change;
      const { id, paymentId: parent, appointmentId, businessId: label, at } = tender;
      const mayWrite =
        change.kind === 'insertTender'
          ? to.get('tenders', id) === undefined
          : hasVersion('tenders', id, change.expectedVersion);
      if (!mayWrite) return false;
      if (parent !== undefined) to.put('cash', id, tender, { parent, at });
      return to.put('tenders', id, tender, { parent: appointmentId, label, at });
    }
    case 'insertShare':
    case 'updateShare': {
      const { share } = change;
      const { id, paymentId, appointmentId: parent, businessId: label, at } = share;
      const mayWrite =
        change.kind === 'insertShare'
          ? to.get('shares', id) === undefined
          : hasVersion('shares', id, change.expectedVersion);
      if (!mayWrite) return false;
      to.put('sharesOfPayment', id, share, { parent: paymentId, at });
      return to.put('shares', id, share, { parent, label, at });
    }
    case 'insertMovement': {
      const { id, paymentId, businessId, at } = change.movement;
      const index = { parent: paymentId, label: businessId, at };
      return to.insert('movements', id, change.movement, index);
    }
    case 'putSettlement': {
      const { settlement } = change;
      const before = to.get<SettlementEntry>('settlements', settlement.id);
      const entry = { ...before, ...settlement };
      if (entry.payoutId !== undefined) {
        to.put('paid', entry.id, entry, { parent: entry.payoutId, at: entry.at });
      }
      return to.put('settlements', entry.id, entry, ofEntry(entry));
    }
    case 'putPayout': {
      const { payout } = change;
      const { replacedBy } = to.get<Payout>('payouts', payout.id) ?? {};
      const kept = replacedBy === undefined ? payout : { replacedBy, ...payout };
      return to.put('payouts', payout.id, kept, { label: payout.account });
    }
    case 'insertReview':
      return to.insert('reviews', change.review.id, change.review, ofReview(change.review));
    case 'updateReview':
      return (
        hasVersion('reviews', change.review.id, change.expectedVersion) &&
        to.put('reviews', change.review.id, change.review, ofReview(change.review))
      );
    case 'insertSetup':
      return to.insert('setups', change.setup.id, change.setup, ofSetup(change.setup));
    case 'updateSetup':
      return (
        hasVersion('setups', change.setup.id, change.expectedVersion) &&
        to.put('setups', change.setup.id, change.setup, ofSetup(change.setup))
      );
    case 'deleteSetup':
      return (
        hasVersion('setups', change.id, change.expectedVersion) && to.remove('setups', change.id)
      );
    case 'putSweep':
      return to.put('sweeps', change.swept.books, change.swept, { due: change.swept.sweptBefore });
    case 'putFact': {
      const { name, version } = change.fact;
      return version === 1
        ? to.insert('facts', name, change.fact)
        : hasVersion('facts', name, version - 1) && to.put('facts', name, change.fact);
    }
    case 'insertActor': {
      const { number, subject: label } = change.actor;
      if (to.labeled('actors', label, '', 1).length > 0) return false;
      return to.insert('actors', `${number}`, change.actor, { label });
    }
    case 'renameActor': {
      const { number, subject: label } = change;
      const isKnown = to.get('actors', `${number}`) !== undefined;
      const isFree = to.labeled('actors', label, '', 1).length === 0;
      return (
        isKnown && isFree && to.put('actors', `${number}`, { number, subject: label }, { label })
      );
    }
    case 'insertTerminal': {
      const { id, barberId, deviceIdentifier: label, createdAt } = change.terminal;
      if (to.labeled('terminals', label, '', 1).length > 0) return false;
      return to.insert('terminals', id, change.terminal, {
        parent: barberId,
        label,
        at: createdAt,
      });
    }
    case 'deleteTerminal':
      return to.remove('terminals', change.id);
    case 'forget':
      return forget(to, change);
    case 'deleteFinancialAccount': {
      const account = to.get<FinancialAccount>('financialAccounts', change.id);
      const mayGo = account?.businessId === change.businessId && !account.isDefault;
      return mayGo && to.remove('financialAccounts', change.id);
    }
    case 'deleteSchedule':
      return (
        to.get<Schedule>('schedules', change.id)?.barberId === change.barberId &&
        to.remove('schedules', change.id)
      );
    case 'putAppointment':
      return to.put('appointments', change.appointment.id, change.appointment);
    case 'putBarber':
      return to.put('barbers', change.barber.id, change.barber);
    case 'putBusiness':
      return to.put('businesses', change.business.id, change.business satisfies Business);
    case 'putFinancialAccount':
      return putFinancialAccount(to, change.account);
    case 'putSchedule':
      return to.put('schedules', change.schedule.id, change.schedule);
    case 'putPayoutPreferences':
      return to.put('payoutPreferences', change.preferences.businessId, change.preferences);
  }
}

const ofRefund = (refund: Refund) => ({
  parent: refund.paymentId,
  label: refund.paymentId,
  due: refund.nextCheckAt,
});

function moveLedger(to: Records, move: ChangeOf<'moveLedger'>): boolean {
  const { appointmentId, currency, maxOpenPayments = Infinity, maxCommittedMinor } = move;
  const before = to.get<Ledger>('ledgers', appointmentId) ?? emptyLedger(appointmentId);
  const openPayments = before.openPayments + move.openPayments;
  const reservedMinor = before.reservedMinor + move.reservedMinor;
  const capturedMinor = before.capturedMinor + move.capturedMinor;
  const tenderedMinor = (before.tenderedMinor ?? 0n) + (move.tenderedMinor ?? 0n);
  const tipsMinor = (before.tipsMinor ?? 0n) + (move.tipsMinor ?? 0n);
  const { maxTipsMinor = tipsMinor, minPaidMinor = capturedMinor + tenderedMinor } = move;
  if (tipsMinor > maxTipsMinor || capturedMinor + tenderedMinor < minPaidMinor) return false;
  const committed = reservedMinor + capturedMinor + tenderedMinor;
  if (openPayments > maxOpenPayments) return false;
  if (maxCommittedMinor !== undefined) {
    if (committed > maxCommittedMinor || (before.currency ?? currency) !== currency) return false;
  }
  return to.put('ledgers', appointmentId, {
    appointmentId,
    capturedMinor,
    reservedMinor,
    ...(tenderedMinor !== 0n && { tenderedMinor }),
    ...(tipsMinor !== 0n && { tipsMinor }),
    openPayments,
    ...(committed !== 0n && { currency: before.currency ?? currency }),
    ...(before.chargeId !== undefined && { chargeId: before.chargeId }),
  } satisfies Ledger);
}

function moveSlot(to: Records, { appointmentId, chargeId, move }: ChangeOf<'moveSlot'>): boolean {
  const ledger = to.get<Ledger>('ledgers', appointmentId) ?? emptyLedger(appointmentId);
  const { chargeId: holder, ...free } = ledger;
  if (move === 'free') return holder !== chargeId || to.put('ledgers', appointmentId, free);
  if (holder !== undefined) return move === 'keep';
  return to.put('ledgers', appointmentId, { ...free, chargeId });
}

function putFinancialAccount(to: Records, account: FinancialAccount): true {
  const collection = 'financialAccounts';
  const parent = account.businessId;
  const others = account.isDefault
    ? to.newest<FinancialAccount>(collection, parent, everything)
    : [];
  for (const other of others) {
    if (other.isDefault) to.put(collection, other.id, { ...other, isDefault: false }, { parent });
  }
  return to.put(collection, account.id, account, { parent });
}

function forget(to: Records, change: ChangeOf<'forget'>): true {
  const { now, limit } = change;
  for (const { subject, key } of to.due<KeyRecord>('keys', now, limit)) {
    to.remove('keys', keyId(subject, key));
  }
  const expired = { commits: change.commitsBefore, processorEvents: change.processorEventsBefore };
  for (const [collection, before] of Object.entries(expired)) {
    for (const { id } of to.due<{ readonly id: string }>(collection, before - 1, limit)) {
      to.remove(collection, id);
    }
  }
  return events.forget(to, change);
}
