import type { ResultAsync } from '@chairside/core';
import type {
  Change,
  ChangeKind,
  ChangeOf,
  Fact,
  Payment,
  Review,
  Store,
  StoreConflict,
  StoreUnavailable,
} from '@chairside/core/ports';
import * as fc from 'fast-check';
import type { TestContext } from 'vitest';
import { someTime } from '../../builders.ts';

export { answerOf, errorOf } from './failures.ts';

/** Abilities that a store or its test harness may lack. */
export type StoreCapability = keyof Omit<StoreHarness, 'longestCallMs'>;

/** Cancels a fault. Returns whether it had struck, after the server has handled the struck request. */
export type Calm = () => Promise<boolean>;

/** A lock of another session. */
export interface Held {
  /** Resolves when a commit of the store waits for it. */
  waitedFor(): Promise<void>;
  release(): Promise<void>;
}

/** Control over the store's records and, where it has a server, over its connections. */
export interface StoreHarness {
  /** Opens another store on the same records, as another node does. The suite closes it. */
  readonly second?: () => Promise<Store>;
  /**
   * A session of the harness locks the ledger of this appointment, or more, so that commits
   * that move it must wait.
   */
  readonly hold?: (appointmentId: string) => Promise<Held>;
  /**
   * So many requests of `store` pass. The server carries out the next one; its reply is lost, and that
   * connection ends. Another request is not struck.
   */
  readonly loseReply?: (after: number) => Promise<Calm>;
  /**
   * As `loseReply`, and then the server is out of reach: it takes no request of `store` and no new
   * connection until the fault is canceled.
   */
  readonly cutOff?: (after: number) => Promise<Calm>;
  /**
   * So many requests of `store` pass. The connection of the next one ends, and that request arrives
   * only when the fault is canceled: the server carries it out then, or rejects it.
   */
  readonly delayRequest?: (after: number) => Promise<Calm>;
  /** So many requests of `store` pass. The next one does not arrive, and no reply comes. */
  readonly stall?: (after: number) => Promise<Calm>;
  /** Ends every connection of `store`. */
  readonly kill?: () => Promise<void>;
  /** The server stops at once, as in a crash, and is there again with its records. */
  readonly restart?: () => Promise<void>;
  /**
   * For a store whose files this process writes: its next flush to the disk fails, so the database
   * reports an error. `reopen` then shows what such a disk has kept: the commits of that flush and all
   * later ones if `isKept`, and otherwise none of them. Nothing strikes if the store does not flush.
   */
  readonly failFlush?: (isKept: boolean) => Promise<Calm>;
  /** The longest time of a call, even if its server is silent. Default one minute. */
  readonly longestCallMs?: number;
}

/**
 * An empty store to test. It states either how to reopen its records, or why they cannot be
 * reopened. Otherwise a database without `reopen` would pass for a store in memory.
 */
export type StoreUnderTest = StoreHarness & { readonly store: Store } & (
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
  /** Another node's store on the same records; the same store where it has none. */
  other(): Promise<Store>;
  /** A call of the store, which must end in its longest time. */
  inTime<T>(call: PromiseLike<T>): Promise<T>;
  /** Skips the test if the harness gives a reason for a missing capability; otherwise fails it. */
  need<Name extends StoreCapability>(
    test: TestContext,
    name: Name,
  ): NonNullable<StoreHarness[Name]>;
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

export function aReview(over: Partial<Review> = {}): Review {
  const review = { id: 'rev_1', version: 1, account: 'acct_1', openedAt: someTime } as const;
  return { ...review, reason: 'unsettled', ...over };
}

export function aFact(over: Partial<Fact> = {}): Fact {
  return { name: 'world', version: 1, text: '{"a":"\u00e9"}', ...over };
}

export const idOf = ({ id }: { readonly id: string }) => id;

export function ledgerMove(over: Partial<ChangeOf<'moveLedger'>>): Change {
  const none = { openPayments: 0, reservedMinor: 0n, capturedMinor: 0n, currency: 'eur' };
  return { kind: 'moveLedger', appointmentId: 'appointment-1', ...none, ...over };
}

/** Deletes expired keys alone, unless it names times for the other records. */
export function forget(over: Partial<ChangeOf<'forget'>>): Change {
  const none = { commitsBefore: 0, processorEventsBefore: 0, eventsBefore: 0 };
  return { kind: 'forget', now: someTime, ...none, limit: 100, ...over };
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

/** A number for a name, another one for each of a few names. */
export function numberOf(name: string): number {
  let number = 7;
  for (const character of name) {
    number = (number * 31 + (character.codePointAt(0) ?? 0)) % 1_000_000_007;
  }
  return number;
}
