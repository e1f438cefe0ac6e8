import { maxOpenPayments } from '../host/host.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  conflict,
  type Fault,
  type FaultOf,
  fault,
  unavailable,
  unfit,
} from '../problems/problem.ts';
import type { CancelCause, Payment, ProcessorPayment } from './payment.ts';

// Faults shared by operations.

/** The faults of opening, charging or refunding at the processor. */
export type ProcessorFault = FaultOf<
  'conflict' | 'paymentProviderNotSetup' | 'serviceUnavailable' | 'unprocessableEntity'
>;

/** The work is durable: after a later failure it may have happened, or may still happen (D22). */
export function orUnknown<E extends Fault | StoreConflict>(
  error: E | StoreUnavailable,
): E | StoreUnavailable {
  return 'kind' in error && error.kind === 'storeUnavailable'
    ? { ...error, outcome: 'unknown' }
    : error;
}

/** Another request is working on the record. */
export type Running = Fault<'conflict'>;

export function running(): Running {
  return conflict(
    'running',
    'Another request is working on this; send the same request again in a moment.',
  );
}

const noAccount = 'The business has no payment processor account that can take card payments.';

export function notSetUp(detail = noAccount): Fault<'paymentProviderNotSetup'> {
  return fault('paymentProviderNotSetup', detail);
}

export function foreign(): Fault<'unprocessableEntity'> {
  return unfit('/externalPaymentReference/id', 'The reference does not belong to this payment.');
}

/**
 * The processor does not know a payment whose capture may have been sent. The outcome is unknown,
 * and a retry cannot learn it. `reconcile` reports the payment for review.
 */
export function forgotten(): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', 'The processor does not know this payment; ask the shop.', {
    recovery: { outcome: 'unknown', retry: 'doNotRetry' },
    attributes: { pointer: '/externalPaymentReference/id' },
  });
}

export function notProcessed(): Fault<'conflict'> {
  return conflict('notProcessed', 'No card has been presented yet, or it is still processed.');
}

/**
 * @param payment its timeline tells the reason, if a capture was rejected for that before (D13).
 */
export function canceled({ timeline }: Payment): Fault<'contactlessPaymentCanceled'> {
  const cause = timeline.findLast(({ what }) => what === 'canceling')?.cause;
  const reason = causesThatExplain.find((name) => name === cause);
  const more = reason === undefined ? {} : { attributes: { reason } };
  return fault(
    'contactlessPaymentCanceled',
    'The payment was canceled; the card is not charged.',
    more,
  );
}

const causesThatExplain = [
  'partiallyAuthorized',
  'exceedsRemainingBalance',
  'currencyChanged',
  'differsAtProcessor',
] as const satisfies readonly CancelCause[];

/** The fault for a capture of a payment that is not authorized at the processor. */
export function notCapturable(
  payment: Payment,
  { status }: ProcessorPayment,
): FaultOf<'conflict' | 'contactlessPaymentCanceled' | 'contactlessPaymentDeclined'> {
  switch (status) {
    case 'canceled':
      return canceled(payment);
    case 'failed':
      return declined();
    default:
      return notProcessed();
  }
}

export function reservedElsewhere(): Fault<'conflict'> {
  return conflict('reservedElsewhere', 'Another payment of this appointment is being captured.');
}

export function tooManyOpenPayments(): Fault<'conflict'> {
  const detail = `The appointment has ${maxOpenPayments} open payments already.`;
  return conflict('tooManyOpenPayments', detail);
}

export function alreadyCaptured(): Fault<'conflict'> {
  return conflict('captured', 'The payment is captured; it can only be refunded.');
}

function declined(): Fault<'contactlessPaymentDeclined'> {
  return fault('contactlessPaymentDeclined', 'The card was declined; another may be presented.');
}

/** The processor's account was closed, or a read failed. Neither changed anything. */
export function notSetUpOrUnread(
  { kind }: ProcessorError,
  detail?: string,
): FaultOf<'paymentProviderNotSetup' | 'serviceUnavailable'> {
  return kind === 'notSetUp' ? notSetUp(detail) : cannotRead();
}

/**
 * The fault for a call that was not applied.
 * @param detail of a rejection. The processor's reason is beside it.
 * @param gone the detail if the account takes no requests.
 */
export function refusalOf(
  error: ProcessorError,
  detail: string,
  gone?: string,
): FaultOf<'paymentProviderNotSetup' | 'serviceUnavailable' | 'unprocessableEntity'> {
  return error.kind === 'rejected'
    ? fault('unprocessableEntity', detail, { attributes: { reason: error.reason } })
    : notSetUpOrUnread(error, gone);
}

/** A failed read changed nothing. */
export function cannotRead(): Fault<'serviceUnavailable'> {
  return unavailable('The payment processor is unavailable.', 'notApplied');
}

/** @param what the processor may have done, as in "whether it captured it". */
export function didNotSay(what: string): Fault<'serviceUnavailable'> {
  return unavailable(`The payment processor did not say whether ${what}.`, 'unknown');
}
