// The server under test, built as a host builds it: HTTP, Chairside, SQLite in a file. It can be
// killed at any moment.
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createChairside, okAsync, type ReconcileReport, type Result } from '@chairside/core';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { openSqliteStore } from '@chairside/sqlite';
import { createStripeProcessor } from '@chairside/stripe';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';
import { answer, setupOf } from './child.ts';
import { createShiftedClock } from './shifted-clock.ts';
import { ada, appointment, barber, business, manager, secretKey } from './shop.ts';

export interface ServerSetup {
  readonly databasePath: string;
  readonly processorPort: number;
  readonly aheadMs: number;
  /** The COMMIT with this number fails when it begins; 1 is the first after the start. */
  readonly failingCommit?: number;
  /** Limits the database to this many pages; it is writable again when it shrinks. */
  readonly maxPages?: number;
}

export type ServerCalls = {
  listen(): Promise<{ readonly url: string }>;
  setAhead(aheadMs: number): void;
  /** Reconciles until no more can be settled now, and then stops. */
  settle(): Promise<Settled>;
  /** Reconciles regularly. */
  keepUp(): void;
  /** Loses a file of the database that is in use. */
  loseFile(way: LossWay): void;
};

type Settled = Pick<ReconcileReport, 'looked' | 'needReview'>;

/** `openedTwice`: another SQLite in the process opens the database, reads, and closes it. */
export type LossWay = 'openedTwice' | 'shmDeleted';

/** The maximum duration of a processor call, far beyond what it needs here. */
const deadlineMs = 2000;
const upkeepEveryMs = 100;
const maxRounds = 100;

const setup = setupOf<ServerSetup>();
const { clock, setAhead } = createShiftedClock(setup.aheadMs);
const { maxPages, failingCommit } = setup;
if (maxPages !== undefined || failingCommit !== undefined) plantFault();
const store = orThrow(openSqliteStore(setup.databasePath));
const api = { host: '127.0.0.1', port: setup.processorPort, protocol: 'http' } as const;
const processor = orThrow(createStripeProcessor({ secretKey, clock, deadlineMs, api }));
const chairside = createChairside({
  // The host has its own records; every requested appointment exists.
  store: {
    ...store,
    appointments: { get: (id) => okAsync(appointment(id)) },
    barbers: { get: (id) => okAsync(id === barber.id ? barber : undefined) },
    businesses: { get: (id) => okAsync(id === business.id ? business : undefined) },
  },
  processor,
  clock,
  rateLimits: 'off',
});
const server = createNodeServer(
  chairsideHandler(chairside, {
    authenticate: (token) => [ada, manager].find(({ subject }) => subject === token),
    refunds: true,
    problemBase: 'https://shop.example',
  }),
);

let upkeep = Promise.resolve();
let timer: NodeJS.Timeout | undefined;

/** Reconciles on a timer, one round after the other, as a host does. */
function keepUp(): void {
  timer = setTimeout(() => {
    upkeep = chairside.reconcile().match(ignore, ignore).then(keepUp);
  }, upkeepEveryMs);
}

/** The next round does the rest. */
function ignore(): void {}

async function settle(): Promise<Settled> {
  clearTimeout(timer);
  await upkeep;
  clearTimeout(timer);
  const needReview: string[] = [];
  let looked = 0;
  for (let round = 1; ; round += 1) {
    const report = await chairside.reconcile({ limit: 1000 });
    await chairside.settled();
    if (report.isErr()) {
      const { type, detail } = report.error;
      console.error(`reconcile: ${type}: ${detail}`);
      if (type !== 'serviceUnavailable') throw new Error(detail);
      // If the disk stalls for seconds, a commit may fail without breaking a promise.
      return { looked: looked + 1, needReview };
    }
    needReview.push(...report.value.needReview);
    looked += report.value.looked;
    if (report.value.looked === 0 || round === maxRounds) return { looked, needReview };
  }
}

answer<ServerCalls>({
  listen: () => server.listen(0, '127.0.0.1'),
  setAhead,
  settle,
  keepUp,
  loseFile,
});

/** Locks belong to the process, so SQLite takes the close of another SQLite for the last one. */
function loseFile(way: LossWay): void {
  if (way === 'shmDeleted') {
    rmSync(`${setup.databasePath}-shm`);
    return;
  }
  const theirs = new DatabaseSync(setup.databasePath);
  theirs.prepare('SELECT count(*) FROM chairside_payments').get();
  theirs.close();
}

function orThrow<T, E>(result: Result<T, E>): T {
  if (result.isOk()) return result.value;
  throw new Error(JSON.stringify(result.error));
}

/**
 * Makes one COMMIT fail before it writes, as when the disk does not respond, or limits the size of
 * the database. The store opens its own connection, so every connection is prepared for this.
 */
function plantFault(): void {
  const prototype: Pick<Database, 'prepare'> = BetterSqlite3.prototype;
  const { prepare } = prototype;
  let commits = 0;
  function preparing(this: Database, source: string) {
    const statement: Statement<[]> = Reflect.apply(prepare, this, [source]);
    if (source !== 'COMMIT') return statement;
    // The tables exist by now.
    if (maxPages !== undefined) this.pragma(`max_page_count = ${maxPages}`);
    const run = statement.run.bind(statement);
    statement.run = () => {
      commits += 1;
      if (commits === failingCommit) throw new Error('disk I/O error');
      return run();
    };
    return statement;
  }
  prototype.prepare = preparing as typeof prepare; // cast: the types of its rows pass through
}
