import { Result } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';

/** Why the fake rejects a call, beside the port's `foreignReference` and `unknownCustomer`. */
export type Rejection =
  | 'amountNotPositive'
  | 'amountTooLarge'
  | 'currencyMismatch'
  /** The payment's state does not allow the call: not authorized yet, captured, canceled. */
  | 'unexpectedState'
  | 'unknownPayment'
  | 'unknownLocation'
  /** The payment has no refundable rest. */
  | 'notRefundable'
  /** The idempotency key was used with other parameters. */
  | 'keyReused'
  | 'limitNotPositive'
  | 'unknownCursor'
  | 'unknownPayout'
  /** A message without a valid signature of its text. */
  | 'badSignature'
  /** The signature's time is too old, or too far ahead. */
  | 'staleSignature'
  | 'malformedEvent'
  | 'foreignReference'
  | 'unknownCustomer'
  | 'cardMustBePresent'
  /** The saved card of a charge does not exist, or was forgotten. */
  | 'methodGone'
  /** A test scripted it. */
  | 'scripted';

export function rejected(reason: Rejection): ProcessorError {
  return { kind: 'rejected', reason };
}

export const refused: ProcessorError = {
  kind: 'unavailable',
  outcome: 'notApplied',
  answered: false,
};
/** No response arrived, or the response leaves the outcome open. */
export const unanswered: ProcessorError = {
  kind: 'unavailable',
  outcome: 'unknown',
  answered: false,
};
/** The processor's own internal error. */
export const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };

/** A control of the fake could not read or write the storage. */
export interface StorageFailed {
  readonly kind: 'storageFailed';
}

/** Runs an action on the storage, which may throw. */
export function withStorage<T, E>(act: () => Result<T, E>): Result<T, E | StorageFailed> {
  return Result.fromThrowable(act, (): StorageFailed => ({ kind: 'storageFailed' }))().andThen(
    (result) => result,
  );
}
