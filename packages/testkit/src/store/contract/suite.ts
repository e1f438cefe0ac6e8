import type {
  Change,
  ChangeKind,
  Payment,
  Result,
  ResultAsync,
  Store,
  StoreConflict,
  StoreUnavailable,
} from '@chairside/core';
import * as fc from 'fast-check';
import type { TestContext } from 'vitest';

/**
 * An empty store to test. It states either how to reopen its records, or why they cannot be
 * reopened. Otherwise a database without `reopen` would pass for a store in memory.
 */
export type StoreUnderTest = { readonly store: Store } & (
  | {
      /** Opens the same records again after `store` was closed, as the next process will. */
      readonly reopen: () => Promise<Store>;
      readonly inMemory?: never;
    }
  | {
      /** Why the records do not outlive the store; shown for the skipped tests. */
      readonly inMemory: string;
      readonly reopen?: never;
    }
);

/** Shared by the parts of the contract; the store belongs to the current test. */
export interface StoreSuite {
  store(): Store;
  /** Skips the test if the records do not outlive the store. */
  needsReopening(test: TestContext): void;
  /** Closes the store and opens its records again: `store()` is a new one from then on. */
  reopen(): Promise<void>;
  /** An id that is unique to this test. */
  nextId(): string;
  commit(...changes: Change[]): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /** Writes the records that a test needs. */
  given(...changes: Change[]): Promise<void>;
  insert(...payments: Payment[]): Promise<void>;
  /** Expects that the commit is refused, and that this change is named. */
  refuses(kind: ChangeKind, ...changes: Change[]): Promise<void>;
}

export const idOf = ({ id }: { readonly id: string }) => id;

export function ledgerMove(over: Partial<Extract<Change, { kind: 'moveLedger' }>>): Change {
  const none = { openPayments: 0, reservedMinor: 0n, capturedMinor: 0n, currency: 'eur' };
  return { kind: 'moveLedger', appointmentId: 'appointment-1', ...none, ...over };
}

const runs = { numRuns: 40 };

export function always<T>(
  drawn: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
): Promise<void> {
  // fast-check also draws objects without a prototype; a clone has one, like JSON.parse's.
  const property = fc.asyncProperty(drawn, (value) => holds(structuredClone(value)));
  return fc.assert(property, runs);
}

export function answerOf<T, E>(result: Result<T, E>): T {
  if (result.isErr()) throw new Error(`The store answered ${JSON.stringify(result.error)}`);
  return result.value;
}

export function errorOf<T, E>(result: Result<T, E>): E {
  if (result.isOk()) throw new Error('The store answered ok');
  return result.error;
}
