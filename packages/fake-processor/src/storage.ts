import type { EpochMs } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import type { Entry, SetupEntry } from './entry.ts';

/** The stored response of an idempotency key, which the fake replays. */
export interface KeptAnswer<T> {
  /** The request: the call and all its parameters. */
  readonly params: string;
  readonly at: EpochMs;
  /** The entry as it was, or the error: an internal one is replayed like any other. */
  readonly answer: { readonly entry?: T | undefined } | { readonly error: ProcessorError };
}

/** The fake's records, by collection. Every record is plain JSON, with money as text. */
export interface Collections {
  readonly payments: Entry;
  /** Responses under an idempotency key. */
  readonly keys: KeptAnswer<Entry>;
  readonly setups: SetupEntry;
  /** Like `keys`, for setups. */
  readonly setupKeys: KeptAnswer<SetupEntry>;
  /** Pending events, each a line of a payment's history, in a fixed number of reused slots. */
  readonly outbox: { readonly payment: string; readonly line: number };
  /** The payouts that failed, by their ids. All other payouts follow from the payments. */
  readonly payouts: { readonly failedAt: EpochMs; readonly state: 'failed' | 'reversed' };
  /** The number of records made so far, from which ids are derived. */
  readonly counters: { readonly value: number };
}

export type Collection = keyof Collections;

/** One record to write; it replaces the one with its id. */
export type StorageWrite = {
  readonly [C in Collection]: {
    readonly collection: C;
    readonly id: string;
    /** The group for {@link FakeStorage.list}. It never changes for an id. */
    readonly group?: string;
    readonly record: Collections[C];
  };
}[Collection];

/**
 * The fake processor's storage. It is synchronous, because a simulated processor does no I/O. A
 * durable storage is a table `(collection, id, group, json)` that keeps insertion order: a new fake
 * that opens the table continues where the last fake stopped.
 *
 * If the storage throws, every call to the processor is `unavailable` with outcome `unknown`, and
 * every control that returns a `Result` is `storageFailed`. A test that reads the storage sees the
 * thrown error.
 */
export interface FakeStorage {
  get<C extends Collection>(collection: C, id: string): Collections[C] | undefined;
  /** All records of the collection, or of one group, in the order of their first write. */
  list<C extends Collection>(collection: C, group?: string): readonly Collections[C][];
  /** Writes all records or none. */
  write(writes: readonly StorageWrite[]): void;
}

/** Storage that ends with the process. */
export function createMemoryStorage(): FakeStorage {
  const kept: { readonly [C in Collection]: Kept<Collections[C]> } = {
    payments: nothingYet(),
    keys: nothingYet(),
    setups: nothingYet(),
    setupKeys: nothingYet(),
    outbox: nothingYet(),
    payouts: nothingYet(),
    counters: nothingYet(),
  };

  return {
    get: (collection, id) => kept[collection].records.get(id),
    list(collection, group) {
      const { records, groups } = kept[collection];
      if (group === undefined) return [...records.values()];
      return (groups.get(group) ?? []).flatMap((id) => records.get(id) ?? []);
    },
    write(writes) {
      for (const { collection, id, group, record } of writes) {
        const { records, groups }: Kept<unknown> = kept[collection];
        if (group !== undefined && !records.has(id)) {
          groups.set(group, [...(groups.get(group) ?? []), id]);
        }
        records.set(id, record);
      }
    },
  };
}

/** One collection, with the ids of each group in the order of their first write. */
interface Kept<T> {
  readonly records: Map<string, T>;
  readonly groups: Map<string, string[]>;
}

function nothingYet<T>(): Kept<T> {
  return { records: new Map(), groups: new Map() };
}
