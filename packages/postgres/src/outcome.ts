import type { ChangeKind } from '@chairside/core/ports';
import type { CommitOutcome, SearchOutcome } from '@chairside/core/storage';
import type { Answer } from './groups.ts';
import { isTransient, mayPass, uniqueViolation, withoutValues } from './postgres-error.ts';

/** The outcome of sending a commit, or a question about its id, once. */
export type Outcome = CommitOutcome | Extract<SearchOutcome, { readonly kind: 'found' }>;

/** The server's report on an unwritten commit. */
export interface Refusal {
  readonly state: string;
  readonly message?: string;
  /** The place of the failed change. */
  readonly step?: number;
}

/**
 * The refusals of a group of commits, by place: `undefined` means written. The server's function
 * returns an object of refusals alone.
 */
export function refusalsOf(
  answers: unknown,
  count: number,
): readonly (Refusal | undefined)[] | undefined {
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) return undefined;
  const told = new Map<string, unknown>(Object.entries(answers));
  const refusals = Array.from({ length: count }, (_, place) => {
    const refusal = told.get(`${place}`);
    return isRefusal(refusal) ? refusal : undefined;
  });
  return refusals.filter(Boolean).length === told.size ? refusals : undefined;
}

function isRefusal(value: unknown): value is Refusal {
  if (typeof value !== 'object' || value === null || !('state' in value)) return false;
  const { state, message, step }: { state: unknown; message?: unknown; step?: unknown } = value;
  return (
    typeof state === 'string' &&
    (message === undefined || typeof message === 'string') &&
    (step === undefined || typeof step === 'number')
  );
}

export function outcomeOf(
  answer: Answer<Refusal | undefined>,
  changes: readonly { readonly kind: ChangeKind }[] = [],
): Outcome {
  if (answer.isErr()) {
    const { error, isUndone } = answer.error;
    const told = withoutValues(error, 'commit');
    if (!isUndone) return { kind: 'unknown', error: told };
    return { kind: 'notApplied', mayRetry: isTransient(error), error: told };
  }
  if (answer.value === undefined) return { kind: 'written' };
  const { state, message, step = 0 } = answer.value;
  if (state === 'found' || state === 'denied') return { kind: state };
  const change = changes[step]?.kind;
  // Two accounts became the default at the same moment: the next attempt sees the other.
  const isRace = state === uniqueViolation && change === 'putFinancialAccount';
  const isCondition = state === 'CS001' || state === uniqueViolation;
  if (isCondition && !isRace && change !== undefined) return { kind: 'conflict', change };
  return {
    kind: 'notApplied',
    mayRetry: isRace || mayPass(state),
    error: withoutValues(
      Object.assign(new Error(message), { severity: 'ERROR', code: state }),
      change ?? 'commit',
    ),
  };
}
