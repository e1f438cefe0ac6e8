import type { Change } from '@chairside/core';
import { type Columns, changingColumns, tables } from '@chairside/core/storage';
import { type Cell, toCell } from './cell.ts';
import type { Statements } from './statements.ts';

/** The default bound: far above every sum, and far enough below SQLite's largest integer. */
const unbounded = 2n ** 62n;

/**
 * Applies one change inside the open transaction.
 * @returns whether its condition held. Throws SQLite's errors.
 */
export function apply(to: Statements, change: Change): boolean {
  switch (change.kind) {
    case 'insertKey':
      return to.insertKey.run(...cellsOf(tables.keys, change.record)).changes === 1;
    case 'finishKey': {
      const problem = JSON.stringify(change.problem);
      return to.finishKey.run(problem, change.subject, change.key).changes === 1;
    }
    case 'deleteKeys':
      to.deleteKeys.run(change.resourceId);
      return true;
    case 'insertPayment': {
      const { payment, ledger = payment.account, sweepFrom = payment.createdAt } = change;
      to.beginSweep.run(ledger, sweepFrom, sweepFrom, null);
      return to.insertPayment.run(...cellsOf(tables.payments, payment)).changes === 1;
    }
    case 'updatePayment': {
      const { payment, expectedVersion } = change;
      const cells = cellsOf(changingColumns, payment);
      return to.updatePayment.run(...cells, payment.id, expectedVersion).changes === 1;
    }
    case 'deletePayment':
      return to.deletePayment.run(change.id, change.expectedVersion).changes === 1;
    case 'moveLedger':
      return moveLedger(to, change);
    case 'appendEvent': {
      const { subject, version, type, occurredAt, data } = change.event;
      const cells = [subject, version, type, occurredAt, JSON.stringify(data)];
      return to.insertEvent.run(...cells, subject, version, occurredAt).changes === 1;
    }
    case 'leaseEvent':
      return to.leaseEvent.run(change).changes === 1;
    case 'postponeEvent':
      return to.postponeEvent.run({ attempts: null, deliverAt: null, ...change }).changes === 1;
    case 'reviveEvent':
      return to.reviveEvent.run(change).changes === 1;
    case 'removeEvent':
      if (to.deleteEvent.run({ attempts: null, ...change }).changes === 0) return false;
      to.wakeNextEvent.run(change);
      return true;
    case 'insertProcessorEvent':
      return to.insertProcessorEvent.run(change.id, change.at).changes === 1;
    case 'insertMoneyBack':
      return to.insertMoneyBack.run(...cellsOf(tables.money_backs, change.moneyBack)).changes === 1;
    case 'insertRefund':
      return to.insertRefund.run(...cellsOf(tables.refunds, change.refund)).changes === 1;
    case 'updateRefund': {
      const { refund, expectedVersion } = change;
      const cells = cellsOf(tables.refunds, refund);
      return to.updateRefund.run(...cells, refund.id, expectedVersion).changes === 1;
    }
    case 'deleteRefund':
      return to.deleteRefund.run(change.id, change.expectedVersion).changes === 1;
    case 'insertDispute':
      return to.insertDispute.run(...cellsOf(tables.disputes, change.dispute)).changes === 1;
    case 'updateDispute': {
      const { dispute, expectedVersion } = change;
      const cells = cellsOf(tables.disputes, dispute);
      return to.updateDispute.run(...cells, dispute.id, expectedVersion).changes === 1;
    }
    case 'insertReview':
      return to.insertReview.run(...cellsOf(tables.reviews, change.review)).changes === 1;
    case 'resolveReview':
      return to.resolveReview.run(change.resolvedAt, change.note, change.id).changes === 1;
    case 'countReview': {
      const { id, expectedCount, count, openedAt } = change;
      return to.countReview.run(count, openedAt, id, expectedCount).changes === 1;
    }
    case 'resolvePaymentReviews': {
      const { resolvedAt, note, paymentId, reason } = change;
      to.resolvePaymentReviews.run(resolvedAt, note, paymentId, reason);
      return true;
    }
    case 'insertSetup':
      return to.insertSetup.run(...cellsOf(tables.setups, change.setup)).changes === 1;
    case 'updateSetup': {
      const { setup, expectedVersion } = change;
      const cells = cellsOf(tables.setups, setup);
      return to.updateSetup.run(...cells, setup.id, expectedVersion).changes === 1;
    }
    case 'deleteSetup':
      return to.deleteSetup.run(change.id, change.expectedVersion).changes === 1;
    case 'putSweep':
      to.putSweep.run(...cellsOf(tables.sweeps, change.swept));
      return true;
    case 'insertTerminal':
      return to.insertTerminal.run(...cellsOf(tables.terminals, change.terminal)).changes === 1;
    case 'deleteTerminal':
      return to.deleteTerminal.run(change.id).changes === 1;
    case 'forget':
      to.forgetKeys.run(change.now, change.limit);
      forgetCommits(to, change);
      to.forgetProcessorEvents.run(change.processorEventsBefore, change.limit);
      for (const { subject } of to.forgetEvents.all(change.eventsBefore, change.limit)) {
        // The event behind it is now the first.
        to.wakeNextEvent.run({ subject, deliverAt: null });
      }
      return true;
    case 'deleteFinancialAccount':
      return to.deleteFinancialAccount.run(change.id, change.businessId).changes === 1;
    case 'deleteSchedule':
      return to.deleteSchedule.run(change.id, change.barberId).changes === 1;
    case 'putAppointment':
      to.putAppointment.run(...cellsOf(tables.appointments, change.appointment));
      return true;
    case 'putBarber':
      to.putBarber.run(...cellsOf(tables.barbers, change.barber));
      return true;
    case 'putBusiness':
      to.putBusiness.run(...cellsOf(tables.businesses, change.business));
      return true;
    case 'putFinancialAccount':
      if (change.account.isDefault) to.clearDefaultAccount.run(change.account.businessId);
      to.putFinancialAccount.run(...cellsOf(tables.financial_accounts, change.account));
      return true;
    case 'putSchedule':
      to.putSchedule.run(...cellsOf(tables.schedules, change.schedule));
      return true;
    case 'putPayoutPreferences':
      to.putPayoutPreferences.run(...cellsOf(tables.payout_preferences, change.preferences));
      return true;
    default: {
      // Only a host in plain JavaScript can get here.
      const { kind }: Change = change satisfies never;
      throw new TypeError(`Unknown change ${kind}`);
    }
  }
}

/** The values of the columns' statement. Throws a RangeError for an amount with too many digits. */
function cellsOf<R>({ cells }: Columns<R>, record: R): Cell[] {
  return cells(record).map(toCell);
}

/** The statement compares the stored sums with the room that the bounds leave for this move. */
function moveLedger(to: Statements, move: Extract<Change, { kind: 'moveLedger' }>): boolean {
  const { appointmentId, openPayments, reservedMinor, capturedMinor, currency } = move;
  const { maxOpenPayments = Infinity, maxCommittedMinor = unbounded } = move;
  const openRoom = maxOpenPayments - openPayments;
  const committedRoom = maxCommittedMinor - reservedMinor - capturedMinor;
  // Stored sums are never negative, so a move that is too large by itself never fits.
  if (openRoom < 0 || committedRoom < 0n) return false;
  const sums = [appointmentId, openPayments, reservedMinor, capturedMinor, currency];
  const needsCurrency = Number(move.maxCommittedMinor !== undefined);
  return to.moveLedger.run(...sums, openRoom, committedRoom, needsCurrency).changes === 1;
}

/** The commits are in the order of writing. All before the first one to keep are deleted. */
function forgetCommits(to: Statements, change: Extract<Change, { kind: 'forget' }>): void {
  const { commitsBefore, now, limit } = change;
  let last: number | undefined;
  for (const { rowid, at } of to.listOldestCommits.iterate(limit)) {
    // Keeps rows from a clock that was ahead, and continues behind them.
    if (at >= commitsBefore && at <= now) break;
    last = rowid;
  }
  if (last !== undefined) to.forgetCommits.run(last, commitsBefore);
}
