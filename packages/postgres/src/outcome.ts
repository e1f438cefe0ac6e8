import type { ChangeKind } from '@chairside/core';
import type { Answer } from './groups.ts';
import { isTransient, mayPass, uniqueViolation } from './postgres-error.ts';

/** The outcome of sending a commit once. */
export type Outcome =
  /** It was applied. */
  | { readonly kind: 'done' }
  /** Its id exists: an earlier attempt had written it. */
  | { readonly kind: 'found' }
  | { readonly kind: 'conflict'; readonly change: ChangeKind }
  /** No change was written. */
  | {
      readonly kind: 'notApplied';
      readonly mayRetry: boolean;
      readonly error: unknown;
      readonly during: string;
    }
  /** The reply was lost: it was applied, or still may be. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** The server's report on an unwritten commit. */
interface Refusal {
  readonly state: string;
  readonly message?: string;
  /** The place of the failed change. */
  readonly step?: number;
}

/** @param kinds the kinds of the commit's changes */
export function outcomeOf(answer: Answer, kinds: readonly ChangeKind[]): Outcome {
  if (answer.isErr()) {
    const { error, isUndone } = answer.error;
    if (!isUndone) return { kind: 'unknown', error };
    return { kind: 'notApplied', mayRetry: isTransient(error), error, during: 'commit' };
  }
  if (answer.value === undefined) return { kind: 'done' };
  const { state, message, step = 0 } = answer.value as Refusal; // cast: the function returns this shape
  if (state === 'found') return { kind: 'found' };
  const change = kinds[step];
  // Two accounts became the default at the same moment: the next attempt sees the other.
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
