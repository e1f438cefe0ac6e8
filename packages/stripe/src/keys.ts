import { type EpochMs, hourMs } from '@chairside/core';
import type { Call } from './connection.ts';

/** Stripe may forget a key after 24 hours; ours is sent for less than that (D20). */
export const keyLifetimeMs = 20 * hourMs;

/** How many lifetimes of a key have passed since the payment or setup was begun. */
export function generationOf({ clock }: Call, begunAt: EpochMs): number {
  return Math.max(0, Math.floor((clock.now() - begunAt) / keyLifetimeMs));
}

/** A key that is sent in one lifetime only: Stripe may have forgotten the earlier one (D20). */
export function keyFor(idempotencyKey: string, generation: number): string {
  return generation === 0 ? idempotencyKey : `${idempotencyKey}:${generation}`;
}
