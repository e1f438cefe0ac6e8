import type { Change, MethodSetup, Review } from '@chairside/core';
import {
  businessCells,
  changingCells,
  disputeCells,
  packReference,
  paymentCells,
  refundCells,
} from '@chairside/core/storage';
import { type Cell, toCell, toInteger } from './integer.ts';
import type { Statements } from './statements.ts';

/** The default bound: far above every sum, and far enough below SQLite's largest integer. */
const unbounded = 2n ** 62n;

/**
 * Applies one change inside the open transaction.
 * @returns whether its condition held. Throws SQLite's errors.
 */
export function apply(to: Statements, change: Change): boolean {
  switch (change.kind) {
    case 'insertKey': {
      const { subject, key, operation, fingerprint, resourceId, problem, forgetAt } = change.record;
      const cells = [
        subject,
        key,
        operation,
        fingerprint,
        resourceId ?? null,
        problem === undefined ? null : JSON.stringify(problem),
        forgetAt ?? null,
      ];
      return to.insertKey.run(...cells).changes === 1;
    }
    case 'finishKey': {
      const problem = JSON.stringify(change.problem);
      return to.finishKey.run(problem, change.subject, change.key).changes === 1;
    }
    case 'deleteKeys':
      to.deleteKeys.run(change.resourceId);
      return true;
    case 'insertPayment': {
      const { payment, ledger = payment.account, sweepFrom = payment.createdAt } = change;
      to.beginSweep.run(ledger, sweepFrom, sweepFrom);
      return to.insertPayment.run(...paymentCells(payment).map(toCell)).changes === 1;
    }
    case 'updatePayment': {
      const { payment, expectedVersion } = change;
      const cells = [...changingCells(payment).map(toCell), payment.id, expectedVersion];
      return to.updatePayment.run(...cells).changes === 1;
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
    case 'insertMoneyBack': {
      const { account, kind, id, paymentId, amountMinor, at } = change.moneyBack;
      const cells = [account, kind, id, paymentId, toInteger(amountMinor), at];
      return to.insertMoneyBack.run(...cells).changes === 1;
    }
    case 'insertRefund':
      return to.insertRefund.run(...refundCells(change.refund).map(toCell)).changes === 1;
    case 'updateRefund': {
      const { refund, expectedVersion } = change;
      const cells = [...refundCells(refund).map(toCell), refund.id, expectedVersion];
      return to.updateRefund.run(...cells).changes === 1;
    }
    case 'deleteRefund':
      return to.deleteRefund.run(change.id, change.expectedVersion).changes === 1;
    case 'insertDispute':
      return to.insertDispute.run(...disputeCells(change.dispute).map(toCell)).changes === 1;
    case 'updateDispute': {
      const { dispute, expectedVersion } = change;
      const cells = [...disputeCells(dispute).map(toCell), dispute.id, expectedVersion];
      return to.updateDispute.run(...cells).changes === 1;
    }
    case 'insertReview':
      return to.insertReview.run(...reviewCells(change.review)).changes === 1;
    case 'resolveReview':
      return to.resolveReview.run(change.resolvedAt, change.note, change.id).changes === 1;
    case 'resolvePaymentReviews': {
      const { resolvedAt, note, paymentId, reason } = change;
      to.resolvePaymentReviews.run(resolvedAt, note, paymentId, reason);
      return true;
    }
    case 'insertSetup':
      return to.insertSetup.run(...setupCells(change.setup)).changes === 1;
    case 'updateSetup': {
      const cells = [...setupCells(change.setup), change.expectedVersion];
      return to.updateSetup.run(...cells).changes === 1;
    }
    case 'deleteSetup':
      return to.deleteSetup.run(change.id, change.expectedVersion).changes === 1;
    case 'putSweep':
      to.putSweep.run(change.swept.ledger, change.swept.sweptBefore, change.swept.triedAt);
      return true;
    case 'insertTerminal': {
      const { terminal } = change;
      const cells = [
        terminal.id,
        terminal.deviceIdentifier,
        terminal.barberId,
        terminal.businessId,
        terminal.platform,
        terminal.deviceModel ?? null,
        terminal.osVersion ?? null,
        terminal.appVersion ?? null,
        terminal.terminalSdkVersion ?? null,
        terminal.createdAt,
        terminal.updatedAt,
      ];
      return to.insertTerminal.run(...cells).changes === 1;
    }
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
    case 'putAppointment': {
      const { id, businessId, amountDueMinor } = change.appointment;
      const reference = packReference(change.appointment);
      to.putAppointment.run(id, businessId, toInteger(amountDueMinor), reference);
      return true;
    }
    case 'putBarber':
      to.putBarber.run(change.barber.id, change.barber.businessId);
      return true;
    case 'putBusiness':
      to.putBusiness.run(...businessCells(change.business).map(toCell));
      return true;
    case 'putFinancialAccount': {
      const { id, businessId, bankName, maskedAccountNumber, currency, isDefault } = change.account;
      if (isDefault) to.clearDefaultAccount.run(businessId);
      const isDefaultCell = isDefault ? 1 : 0;
      const cells = [id, businessId, bankName, maskedAccountNumber, currency, isDefaultCell];
      to.putFinancialAccount.run(...cells);
      return true;
    }
    case 'putSchedule': {
      const { id, barberId, name, hours } = change.schedule;
      to.putSchedule.run(id, barberId, name, JSON.stringify(hours));
      return true;
    }
    case 'putPayoutPreferences': {
      const { businessId, settings } = change.preferences;
      to.putPayoutPreferences.run(businessId, JSON.stringify(settings));
      return true;
    }
    default: {
      // Only a host in plain JavaScript can get here.
      const { kind }: Change = change satisfies never;
      throw new TypeError(`Unknown change ${kind}`);
    }
  }
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

/** In the order of the statements. The id comes last, for the condition of an update. */
function setupCells(setup: MethodSetup): Cell[] {
  return [
    setup.customerId,
    setup.savePaymentMethod ? 1 : 0,
    setup.version,
    setup.clientSecret ?? null,
    setup.reference ?? null,
    setup.createdAt,
    setup.expiresAt,
    setup.outcome ?? null,
    setup.work?.kind ?? null,
    setup.work?.cause ?? null,
    setup.work?.fence ?? null,
    setup.work?.attempt ?? null,
    setup.work?.leaseUntil ?? null,
    setup.nextCheckAt,
    setup.id,
  ];
}

/** In the order of the statement. */
function reviewCells(review: Review): Cell[] {
  return [
    review.id,
    review.reason,
    review.account,
    review.paymentId ?? null,
    review.reference ?? null,
    review.openedAt,
    review.resolvedAt ?? null,
    review.note ?? null,
  ];
}
