import type { ChangeKind } from '@chairside/core';
import type { Answer } from './groups.ts';
import { isTransient, mayPass, uniqueViolation } from './postgres-error.ts';

/** What came of sending a commit once. */
export type Outcome =
  /** It was carried out. */
  | { readonly kind: 'done' }
  /** Its id was there: an earlier attempt had written it. */
  | { readonly kind: 'found' }
  | { readonly kind: 'conflict'; readonly change: ChangeKind }
  /** Nothing was written. */
  | {
      readonly kind: 'notApplied';
      readonly mayRetry: boolean;
      readonly error: unknown;
      readonly during: string;
    }
  /** The reply was lost: it may have been written, or may still be. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** What the server says of a commit that it did not write. */
interface Refusal {
  readonly state: string;
  readonly message?: string;
  /** Which of its changes failed. */
  readonly step?: number;
}

/** @param kinds of the commit's changes */
export function outcomeOf(answer: Answer, kinds: readonly ChangeKind[]): Outcome {
  if (answer.isErr()) {
    const { error, isUndone } = answer.error;
    if (!isUndone) return { kind: 'unknown', error };
    return { kind: 'notApplied', mayRetry: isTransient(error), error, during: 'commit' };
  }
  if (answer.value === undefined) return { kind: 'done' };
  const { state, message, step = 0 } = answer.value as Refusal; // cast: as the function makes it
  if (state === 'found') return { kind: 'found' };
  const change = kinds[step];
  // Two accounts became the default in the same moment: the next attempt sees the other.
  const isRace = state === uniqueViolation && change === 'putFinancialAccount';
  const isCondition = state === 'CS001' || state === uniqueViolation;
  if (isCondition && !isRace && change !== undefined) return { kind: 'conflict', change };
  return {
    kind: 'notApplied',
    mayRetry: isRace || mayPass(state),
    error: Object.assign(new Error(message), { severity: 'ERROR', code: state }),
    during: change ?? 'commit',
  };
}
