import type { ChangeKind } from '../ports/change.ts';
import type { StoreUnavailable } from '../ports/store.ts';

/** The proof that one attempt at a commit gives. */
export type CommitOutcome =
  /** The commit is written and durable: by this attempt, or by an earlier attempt under the same id. */
  | { readonly kind: 'written' }
  /** The condition of this change failed. No change was written. */
  | { readonly kind: 'conflict'; readonly change: ChangeKind }
  /** No change was or will be written. `mayRetry`: the same attempt may succeed later. */
  | { readonly kind: 'notApplied'; readonly mayRetry: boolean; readonly error: unknown }
  /** `wasCommitted` denied this id before, so no attempt under it was or will be applied. */
  | { readonly kind: 'denied' }
  /** It may have been written, or may still be: the reply to COMMIT was lost, or COMMIT failed. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** The result of one question about the id of a commit. */
export type SearchOutcome =
  /** The commit is there, durably. */
  | { readonly kind: 'found' }
  /** The id is recorded as denied, durably: no attempt under it will be applied. */
  | { readonly kind: 'denied' }
  | { readonly kind: 'unavailable'; readonly mayRetry: boolean; readonly error: unknown };

export function storeUnavailable(
  outcome: StoreUnavailable['outcome'],
  cause?: unknown,
): StoreUnavailable {
  return { kind: 'storeUnavailable', outcome, ...(cause !== undefined && { cause }) };
}
