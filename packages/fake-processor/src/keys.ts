import { type EpochMs, err, hourMs, ok, type ProcessorError, type Result } from '@chairside/core';
import { failed, rejected } from './errors.ts';

/** How long the fake keeps its response under a key, as Stripe does. */
export const keyLifetimeMs = 24 * hourMs;

/** The stored response of an idempotency key, which the fake replays. */
export interface KeptAnswer<T> {
  /** The request: the call and all its parameters. */
  readonly params: string;
  readonly at: EpochMs;
  readonly answer:
    | { readonly kind: 'entry'; readonly entry: T }
    | { readonly kind: 'nothing' }
    | { readonly kind: 'rejected'; readonly reason: string }
    /** An internal error, which is replayed like any other response. */
    | { readonly kind: 'failed' };
}

/** The result of a call that was applied. */
export type Answer<T> = KeptAnswer<T>['answer'];

export function isForgotten(record: { readonly at: EpochMs }, at: EpochMs): boolean {
  return at - record.at >= keyLifetimeMs;
}

export function toResult<T>(answer: Answer<T>): Result<T | undefined, ProcessorError> {
  switch (answer.kind) {
    case 'entry':
      return ok(answer.entry);
    case 'nothing':
      return ok(undefined);
    case 'rejected':
      return err(rejected(answer.reason));
    case 'failed':
      return err(failed);
  }
}
