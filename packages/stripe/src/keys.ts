import { type EpochMs, hourMs } from '@chairside/core';
import type { Call } from './connection.ts';

/** Stripe may forget a key after 24 hours; ours is sent for a shorter time (D20). */
export const keyLifetimeMs = 20 * hourMs;

/** The number of key lifetimes since the payment or setup was begun, by the time that its nodes share. */
export function generationOf(
  { clock }: Call,
  { begunAt, now = clock.now() }: { readonly begunAt: EpochMs; readonly now?: EpochMs },
): number {
  return Math.max(0, Math.floor((now - begunAt) / keyLifetimeMs));
}

/** A key for one lifetime only, because Stripe may have forgotten the earlier one (D20). */
export function keyFor(idempotencyKey: string, generation: number): string {
  return generation === 0 ? idempotencyKey : `${idempotencyKey}:${generation}`;
}
