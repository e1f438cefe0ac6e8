import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { err, errAsync, ok, ResultAsync } from '@chairside/core';
import type { Commit, Read, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import {
  type Certainty,
  type CommitOutcome,
  createCertainty,
  createRetries,
} from '@chairside/core/storage';
import type { Calm, StoreHarness, StoreUnderTest } from '../../src/contracts.ts';
import { createMapDatabase, type MapDatabase } from '../../src/store/map/database.ts';
import { connectTo } from '../../src/store/map/map-store.ts';
import { snapshotOf } from '../../src/store/map/tables.ts';

const unavailable: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

type Answered = Read<unknown>;

interface Parts {
  readonly line: Line;
  readonly database: MapDatabase;
  readonly certainty: Certainty;
}

/** Says how the adapter commits; by default as it should. */
export interface OverALine {
  readonly commit?: (parts: Parts, commit: Commit) => ReturnType<Store['commit']>;
  /** How long a silent server is waited for: for ever, if false. */
  readonly endsCalls?: boolean;
  /** The result of a read whose reply was lost. Default: an error. */
  readonly readOf?: (name: string) => unknown;
  /** Whether a commit whose question got no answer counts as written. */
  readonly isWrittenIfUnanswered?: boolean;
  /** Whether the server has flushed what it says it has. */
  readonly isDurable?: boolean;
}

/** One attempt: the server carries a commit out whole, whenever it reads it. */
export async function attempt({ line, database }: Parts, commit: Commit): Promise<CommitOutcome> {
  try {
    const written = await line.send(() => database.write(commit));
    if (written.isOk()) return { kind: 'written' };
    return written.error.kind === 'storeConflict'
      ? { kind: 'conflict', change: written.error.change }
      : { kind: 'denied' };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** A store whose server is on the other end of a line, in the same process. */
export function overALine(how: OverALine = {}): () => StoreUnderTest {
  return () => {
    let database = createMapDatabase();
    let flushed = snapshotOf(database.tables);
    const line = createLine();
    const certainty = createCertainty(
      createRetries(how.endsCalls === false ? 1 : 6, wait),
      () => {},
    );
    let isClosed = false;
    const current = (): Store => connectTo(database);
    const nearby: Store = lookingAt(
      current,
      () => isClosed,
      (name, read) =>
        new ResultAsync(
          line.send(read).then(
            (answer) => answer,
            () => (how.readOf === undefined ? err(unavailable) : ok(how.readOf(name))),
          ),
        ),
    );
    const parts = (): Parts => ({ line, database, certainty });
    const right = (commit: Commit) =>
      new ResultAsync(certainty.commit(commit.id, () => attempt(parts(), commit)));
    const store: Store = {
      ...nearby,
      commit: (commit) =>
        isClosed ? errAsync(unavailable) : (how.commit?.(parts(), commit) ?? right(commit)),
      wasCommitted: (id) =>
        isClosed
          ? errAsync(unavailable)
          : new ResultAsync(
              certainty.wasCommitted(id, async () => {
                try {
                  const isWritten = await line.send(() => database.deny(id));
                  return { kind: isWritten ? 'found' : 'denied' };
                } catch (error) {
                  if (how.isWrittenIfUnanswered === false) return { kind: 'denied' };
                  return { kind: 'unavailable', mayRetry: true, error };
                }
              }),
            ),
      close: async () => {
        isClosed = true;
      },
    };
    return {
      store,
      second: async () => lookingAt(current, () => false),
      ...line,
      restart: async () => {
        if (how.isDurable !== false) flushed = snapshotOf(database.tables);
        await line.kill();
        database = createMapDatabase(flushed);
      },
      inMemory: 'its server ends with its process',
    };
  };
}

/** A store on the database that the server has now. */
function lookingAt(
  current: () => Store,
  isClosed: () => boolean,
  over: (name: string, read: () => Answered) => Answered = (_, read) => read(),
): Store {
  const reads = new Proxy(current(), {
    get: (_, group: keyof Store) => {
      const found = current()[group];
      if (typeof found === 'function') return found;
      return new Proxy(found ?? {}, {
        get:
          (_target, name: string) =>
          (...args: readonly unknown[]) =>
            isClosed()
              ? errAsync(unavailable)
              : over(name, () => call(current(), group, name, args)),
      });
    },
    ownKeys: (target) => Reflect.ownKeys(target),
  });
  return { ...reads };
}

function call(store: Store, group: keyof Store, name: string, args: readonly unknown[]): Answered {
  const found: object | undefined = store[group];
  const read: unknown = Reflect.get(found ?? {}, name);
  return typeof read === 'function' ? read(...args) : errAsync(unavailable);
}

export const refusal = (outcome: StoreUnavailable['outcome']) =>
  err<void, StoreConflict | StoreUnavailable>({ kind: 'storeUnavailable', outcome });
/** Where an answer came, that; where none came, what the adapter makes of it. */
export function answerTo<T>(outcome: CommitOutcome, otherwise: () => T) {
  if (outcome.kind === 'written') return written();
  if (outcome.kind === 'conflict') {
    return err<void, StoreConflict | StoreUnavailable>({
      kind: 'storeConflict',
      change: outcome.change,
    });
  }
  if (outcome.kind === 'denied') return refusal('notApplied');
  return otherwise();
}
export const written = () => ok<void, StoreConflict | StoreUnavailable>(undefined);

type Fault = 'loseReply' | 'cutOff' | 'delayRequest' | 'stall';

/** A line to a server in this process. It can lose messages. */
interface Line extends Required<Pick<StoreHarness, Fault | 'kill'>> {
  /** Rejects where the connection ends or the server is silent for long. */
  send<T>(work: () => T): Promise<T>;
}

const silenceMs = 30;

function createLine(): Line {
  let planned: { readonly fault: Fault; after: number } | undefined;
  let isDown = false;
  let delayed: (() => unknown) | undefined;
  const waiting = new Set<(error: Error) => void>();
  let sent = 0;

  function plan(fault: Fault, after: number): Calm {
    planned = { fault, after };
    return async () => {
      const hasStruck = planned === undefined;
      planned = undefined;
      isDown = false;
      delayed?.();
      delayed = undefined;
      return hasStruck;
    };
  }

  function due(): Fault | undefined {
    if (planned === undefined) return undefined;
    planned.after -= 1;
    if (planned.after >= 0) return undefined;
    const { fault } = planned;
    planned = undefined;
    return fault;
  }

  return {
    send(work) {
      return new Promise((resolve, reject) => {
        if (isDown) {
          reject(new Error('the server is out of reach'));
          return;
        }
        const fault = due();
        isDown = fault === 'cutOff';
        sent += 1;
        const isLate = sent % 2 === 0;
        let isGone = false;
        const end = (error: Error) => {
          isGone = true;
          waiting.delete(end);
          reject(error);
        };
        waiting.add(end);
        if (fault === 'stall') {
          setTimeout(() => end(new Error('the server is silent')), silenceMs);
          return;
        }
        if (fault === 'delayRequest') {
          delayed = work;
          end(new Error('the connection ended'));
          return;
        }
        void nextTurn().then(async () => {
          // A connection that ended before the server had read it.
          if (isGone && isLate) return;
          const result = work();
          if (fault === 'loseReply' || fault === 'cutOff') end(new Error('the connection ended'));
          await nextTurn();
          waiting.delete(end);
          resolve(result);
        });
      });
    },
    loseReply: async (after) => plan('loseReply', after),
    cutOff: async (after) => plan('cutOff', after),
    delayRequest: async (after) => plan('delayRequest', after),
    stall: async (after) => plan('stall', after),
    kill: async () => {
      for (const end of waiting) end(new Error('the connection was ended'));
    },
  };
}
