import type { Change, ChangeKind, MethodSetup, Review } from '@chairside/core';
import type { Cell } from './cell.ts';
import { changingCells, paymentCells } from './payment-row.ts';
import type { StatementName } from './statements.ts';

/** One statement of a change, with what it is sent. */
export interface Step {
  readonly statement: StatementName;
  readonly cells: readonly Cell[];
  /** Named when it finds its condition broken. */
  readonly change: ChangeKind;
}

/** No bound was given. Far from the end of a BIGINT, so that sums do not reach it either. */
const unbounded = 2n ** 62n;

/** What writes one change, in order. */
export function stepsOf(change: Change): readonly Step[] {
  const step = (statement: StatementName, ...cells: readonly Cell[]): Step => ({
    statement,
    cells,
    change: change.kind,
  });
  switch (change.kind) {
    case 'insertKey': {
      const { subject, key, operation, fingerprint, resourceId, problem, forgetAt } = change.record;
      const problemCell = problem === undefined ? null : JSON.stringify(problem);
      const optional = [resourceId ?? null, problemCell, forgetAt ?? null];
      return [step('insertKey', subject, key, operation, fingerprint, ...optional)];
    }
    case 'finishKey':
      return [step('finishKey', JSON.stringify(change.problem), change.subject, change.key)];
    case 'deleteKeys':
      return [step('deleteKeys', change.resourceId)];
    case 'insertPayment': {
      const { payment } = change;
      return [
        step('insertPayment', ...paymentCells(payment)),
        step('beginSweep', payment.account, payment.createdAt, payment.createdAt),
      ];
    }
    case 'updatePayment': {
      const { payment, expectedVersion } = change;
      return [step('updatePayment', payment.id, expectedVersion, ...changingCells(payment))];
    }
    case 'deletePayment':
      return [step('deletePayment', change.id, change.expectedVersion)];
    case 'moveLedger': {
      const { appointmentId, openPayments, reservedMinor, capturedMinor, currency } = change;
      const { maxOpenPayments = unbounded, maxCommittedMinor = unbounded } = change;
      const needsCurrency = change.maxCommittedMinor !== undefined;
      const sums = [appointmentId, openPayments, reservedMinor, capturedMinor, currency];
      return [step('moveLedger', ...sums, maxOpenPayments, maxCommittedMinor, needsCurrency)];
    }
    case 'appendEvent': {
      const { subject, version, type, occurredAt, data } = change.event;
      return [step('insertEvent', subject, version, type, occurredAt, JSON.stringify(data))];
    }
    case 'leaseEvent': {
      const { subject, version, attempts, deliverAt } = change;
      return [step('leaseEvent', subject, version, attempts, deliverAt)];
    }
    case 'postponeEvent': {
      const { subject, version, attempts = null, deliverAt = null } = change;
      return [step('postponeEvent', subject, version, deliverAt, attempts)];
    }
    case 'reviveEvent':
      return [step('reviveEvent', change.subject, change.version, change.deliverAt)];
    case 'removeEvent':
      return [
        step('deleteEvent', change.subject, change.version, change.attempts ?? null),
        step('wakeNextEvent', change.subject, change.deliverAt),
      ];
    case 'insertProcessorEvent':
      return [step('insertProcessorEvent', change.id, change.at)];
    case 'insertMoneyBack': {
      const { account, kind, id, paymentId, amountMinor, at } = change.moneyBack;
      return [step('insertMoneyBack', account, kind, id, paymentId, amountMinor, at)];
    }
    case 'insertReview':
      return [step('insertReview', ...reviewCells(change.review))];
    case 'resolveReview':
      return [step('resolveReview', change.resolvedAt, change.note, change.id)];
    case 'resolvePaymentReviews': {
      const { resolvedAt, note, paymentId, reason } = change;
      return [step('resolvePaymentReviews', resolvedAt, note, paymentId, reason)];
    }
    case 'insertSetup':
      return [step('insertSetup', ...setupCells(change.setup))];
    case 'updateSetup':
      return [step('updateSetup', ...setupCells(change.setup), change.expectedVersion)];
    case 'deleteSetup':
      return [step('deleteSetup', change.id, change.expectedVersion)];
    case 'putSweep': {
      const { account, sweptBefore, triedAt } = change.swept;
      return [step('putSweep', account, sweptBefore, triedAt)];
    }
    case 'insertTerminal': {
      const { terminal } = change;
      return [
        step(
          'insertTerminal',
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
        ),
      ];
    }
    case 'deleteTerminal':
      return [step('deleteTerminal', change.id)];
    case 'forget':
      return [
        step('forgetKeys', change.now, change.limit),
        step('forgetCommits', change.commitsBefore, change.limit),
        step('forgetProcessorEvents', change.processorEventsBefore, change.limit),
        step('markEventsToForget', change.eventsBefore, change.limit),
        step('wakeBehindForgotten'),
        step('forgetMarkedEvents'),
      ];
    case 'deleteFinancialAccount':
      return [step('deleteFinancialAccount', change.id, change.businessId)];
    case 'deleteSchedule':
      return [step('deleteSchedule', change.id, change.barberId)];
    case 'putAppointment': {
      const { id, businessId, amountDueMinor, reference } = change.appointment;
      return [step('putAppointment', id, businessId, amountDueMinor, JSON.stringify(reference))];
    }
    case 'putBarber':
      return [step('putBarber', change.barber.id, change.barber.businessId)];
    case 'putBusiness': {
      const { id, name, processorAccount: account } = change.business;
      const accountCells = [account?.id, account?.currency, account?.terminalLocation];
      return [step('putBusiness', id, name, ...accountCells.map((cell) => cell ?? null))];
    }
    case 'putFinancialAccount': {
      const { id, businessId, bankName, maskedAccountNumber, currency, isDefault } = change.account;
      const account = [id, businessId, bankName, maskedAccountNumber, currency, isDefault];
      const put = step('putFinancialAccount', ...account);
      return isDefault ? [step('clearDefaultAccount', businessId, id), put] : [put];
    }
    case 'putSchedule': {
      const { id, barberId, name, hours } = change.schedule;
      return [step('putSchedule', id, barberId, name, JSON.stringify(hours))];
    }
    case 'putPayoutPreferences': {
      const { businessId, settings } = change.preferences;
      return [step('putPayoutPreferences', businessId, JSON.stringify(settings))];
    }
    default: {
      // A host in plain JavaScript can get here.
      const { kind }: Change = change satisfies never;
      throw new TypeError(`Unknown change ${kind}`);
    }
  }
}

/** In the order of the table's columns. */
function setupCells(setup: MethodSetup): readonly Cell[] {
  return [
    setup.id,
    setup.version,
    setup.customerId,
    setup.savePaymentMethod,
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
  ];
}

/** In the order of the table's columns. */
function reviewCells(review: Review): readonly Cell[] {
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
