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
 * A store to be tested, empty. It says one of two: how its records are opened again, or why there
 * are none to open. A database that forgot the first would else look like a store in memory.
 */
export type StoreUnderTest = { readonly store: Store } & (
  | {
      /** Opens the same records again after `store` was closed, as the next process will. */
      readonly reopen: () => Promise<Store>;
      readonly inMemory?: never;
    }
  | {
      /** Why nothing outlives the store; shown for the tests that are skipped for it. */
      readonly inMemory: string;
      readonly reopen?: never;
    }
);

/** What the parts of the contract share; the store is that of the test. */
export interface StoreSuite {
  store(): Store;
  /** Skips the test where nothing outlives the store. */
  needsReopening(test: TestContext): void;
  /** Closes the store and opens its records again: `store()` is another one from then on. */
  reopen(): Promise<void>;
  /** An id that no other test uses. */
  nextId(): string;
  commit(...changes: Change[]): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /** For what a test takes for granted. */
  given(...changes: Change[]): Promise<void>;
  insert(...payments: Payment[]): Promise<void>;
  /** Expects that the commit is refused, and that this is the change that is named. */
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
  // fast-check also draws objects without a prototype; a clone is as JSON.parse would make it.
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
