import { type ProcessorError, Result } from '@chairside/core';

/**
 * The reasons of the fake's rejections, beside the port's `foreignReference` and `unknownCustomer`.
 */
export const rejections = {
  amountNotPositive: 'amountNotPositive',
  amountTooLarge: 'amountTooLarge',
  currencyMismatch: 'currencyMismatch',
  /** The payment's state does not allow the call: not authorized yet, captured, canceled. */
  unexpectedState: 'unexpectedState',
  unknownPayment: 'unknownPayment',
  unknownLocation: 'unknownLocation',
  /** The payment has no refundable rest. */
  notRefundable: 'notRefundable',
  /** The idempotency key was used with other parameters. */
  keyReused: 'keyReused',
  limitNotPositive: 'limitNotPositive',
  unknownCursor: 'unknownCursor',
  /** A message without a valid signature of its text. */
  badSignature: 'badSignature',
  /** The signature's time is too old, or too far ahead. */
  staleSignature: 'staleSignature',
  malformedEvent: 'malformedEvent',
  /** A test scripted it. */
  scripted: 'scripted',
} as const;

export function rejected(reason: string): ProcessorError {
  return { kind: 'rejected', reason };
}

export const notSetUp: ProcessorError = { kind: 'notSetUp' };
export const rateLimited: ProcessorError = { kind: 'rateLimited' };

/** The connection was refused. */
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

/** A control of the fake could not read or write the ledger. */
export interface LedgerFailed {
  readonly kind: 'ledgerFailed';
}

/** Runs an action on the ledger, which may throw. */
export function withLedger<T, E>(act: () => Result<T, E>): Result<T, E | LedgerFailed> {
  return Result.fromThrowable(act, (): LedgerFailed => ({ kind: 'ledgerFailed' }))().andThen(
    (result) => result,
  );
}
