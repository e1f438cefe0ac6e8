import type { ChangeKind } from '../ports/store.ts';

/** What one attempt at a commit proved. */
export type CommitOutcome =
  /** It is written and durable: by this attempt or, under the same id, by an earlier one. */
  | { readonly kind: 'written' }
  /** The condition of this change failed. Nothing was written. */
  | { readonly kind: 'conflict'; readonly change: ChangeKind }
  /** Nothing was written, and nothing will be. `mayRetry`: the same attempt may succeed later. */
  | { readonly kind: 'notApplied'; readonly mayRetry: boolean; readonly error: unknown }
  /** It may have been written, or may still be: the reply to COMMIT was lost, or COMMIT failed. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** What one search for the id of a commit showed. */
export type SearchOutcome =
  /** It is there, durably. */
  | { readonly kind: 'found' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unavailable'; readonly mayRetry: boolean; readonly error: unknown };
