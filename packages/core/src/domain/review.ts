import { typeId } from './id.ts';
import { sha256Hex } from './sha256.ts';
import type { EpochMs } from './time.ts';

export const reviewReasons = [
  'canceledHereCapturedThere',
  'capturedHereCanceledThere',
  'capturedAnotherAmount',
  'capturedBeyondDue',
  'unsettled',
  'orphanCaptured',
  'orphanNotCanceled',
  'unreadableAtProcessor',
] as const;
/** Why a person should look at a payment; `unsettled` ends once it can be settled after all. */
export type ReviewReason = (typeof reviewReasons)[number];

/** One entry of the list of payments that need a person (D43). */
export interface Review {
  readonly id: string;
  /** A `ReviewReason`, which stores keep as text. */
  readonly reason: string;
  /** The processor account that the payment lives in. */
  readonly account: string;
  /** Our payment; for an orphan the id in its mark, of which no payment is stored. */
  readonly paymentId?: string;
  /** The processor's id of the payment, where it is known. */
  readonly reference?: string;
  readonly openedAt: EpochMs;
  /** Absent while it is open. */
  readonly resolvedAt?: EpochMs;
  /** What the person who resolved it noted. */
  readonly note?: string;
}

/**
 * The id of an entry, which follows from what it is about: whoever finds the same thing twice, after a
 * crash for example, makes one entry.
 * @param at puts entries in order of time; the same whenever the same thing is found.
 */
export function reviewId(at: EpochMs, ...about: readonly (string | number)[]): string {
  const hash = sha256Hex(JSON.stringify(about));
  const bytes = Uint8Array.from({ length: 10 }, (_, index) =>
    Number.parseInt(hash.slice(2 * index, 2 * index + 2), 16),
  );
  return typeId('rev', at, bytes);
}
