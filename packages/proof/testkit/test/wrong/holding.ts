import { setTimeout as wait } from 'node:timers/promises';
import { errAsync, okAsync, ResultAsync } from '@chairside/core';
import type { Change, Commit } from '@chairside/core/ports';
import type { StoreUnderTest } from '../../src/contracts.ts';
import { applyChange } from '../../src/store/map/changes.ts';
import { createMapDatabase, type MapDatabase } from '../../src/store/map/database.ts';
import { connectTo } from '../../src/store/map/map-store.ts';
import { keyOf } from '../../src/store/map/table.ts';
import { firstOf } from '../../src/store/map/tables.ts';
import type { WrongStore } from './wrong-store.ts';

interface Holding {
  /** For how long it knows that a commit runs. */
  readonly knownMs?: number;
  /** It looks for an earlier event when the commit begins, and not when it is written. */
  readonly looksEarly?: boolean;
}

/** A store whose commits wait while another session holds the appointment that they move. */
function holding({ knownMs = 0, looksEarly = false }: Holding): () => StoreUnderTest {
  return () => {
    const waiting = new Set<Commit>();
    const late = new WeakSet<Change>();
    const database: MapDatabase = createMapDatabase(undefined, (tables, change) => {
      const isApplied = applyChange(tables, change);
      if (isApplied && change.kind === 'appendEvent' && late.has(change)) {
        const stored = tables.events.get(keyOf(change.event));
        if (stored !== undefined) {
          const { deliverAt: _deliverAt, ...waitingForNothing } = stored;
          tables.events.put(keyOf(change.event), waitingForNothing);
        }
      }
      return isApplied;
    });
    let lock: PromiseWithResolvers<void> | undefined;
    const moves = ({ changes }: Commit) => changes.some(({ kind }) => kind === 'moveLedger');

    async function commit(given: Commit) {
      for (const change of given.changes) {
        const isBehind =
          change.kind === 'appendEvent' &&
          firstOf(database.tables, change.event.subject) !== undefined;
        if (looksEarly && isBehind) late.add(change);
      }
      if (lock !== undefined && moves(given)) {
        waiting.add(given);
        if (knownMs > 0) void wait(knownMs).then(() => waiting.delete(given));
        await lock.promise;
        waiting.delete(given);
      }
      return database.write(given);
    }

    const connect = () => {
      const store = connectTo(database);
      return {
        ...store,
        commit: (given: Commit) => new ResultAsync(commit(given)),
        wasCommitted(id: string) {
          const isRunning = [...waiting].some((one) => one.id === id);
          if (isRunning)
            return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
          return knownMs > 0 && lock !== undefined
            ? okAsync(database.tables.commits.has(id))
            : store.wasCommitted(id);
        },
      };
    };
    return {
      store: connect(),
      second: async () => connect(),
      hold: async () => {
        const mine = Promise.withResolvers<void>();
        lock = mine;
        return {
          waitedFor: () => wait(5),
          release: async () => {
            lock = undefined;
            mine.resolve();
          },
        };
      },
      inMemory: 'a Map ends with its process',
    };
  };
}

export const storesThatWaitWrongly: readonly WrongStore[] = [
  {
    fault: 'forgets after 100 ms that a commit waits for a lock',
    caughtBy: [
      'is true of a commit that waits for a lock: the same store',
      'returns storeUnavailable after it was closed, and closes again',
    ],
    open: holding({ knownMs: 100 }),
  },
  {
    fault: 'looks for the event before an appended one when the commit begins',
    caughtBy: ['an event is due in the end that is appended before the one before it is removed'],
    open: holding({ looksEarly: true }),
  },
];
