import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, okAsync, ResultAsync } from '@chairside/core';
import type { Commit, Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createSchemas, type OwnSchema, type Schemas } from '@chairside/spec/postgres-schemas';
import { createSimulatedStripe } from '@chairside/spec/simulated-stripe';
import { openSqliteStore } from '@chairside/sqlite';
import { type StripeFault, stripeFaults } from '@chairside/stripe-stand-in';
import { createMapStore, type Harness, type World } from '@chairside/trials';
import { createRandom } from '../fuzz/random.ts';

/** The fake processor, over a store in memory. */
export const mapHarness: Harness = {
  serveHttp: (chairside, authenticate) => serveHttp(chairside, authenticate),
  open: (clock, seed) => overMap(processorOf(clock, seed)),
};

const accounts = [
  { id: 'acct_shop', currency: 'eur' },
  { id: 'acct_annex', currency: 'usd' },
  { id: 'acct_new', currency: 'eur' },
];

type ServeHttp = NonNullable<Harness['serveHttp']>;

/** The HTTP handler, in process: no socket is opened. */
export function overHttp(handlerOf: typeof chairsideHandler): ServeHttp {
  const problemBase = 'https://chairside.example';
  return (chairside, authenticate) =>
    handlerOf(chairside, { authenticate, problemBase, refunds: true }).fetch;
}

const serveHttp = overHttp(chairsideHandler);

/** Stripe's adapter on the stand-in of its API, over a store in memory. */
export const stripeHarness: Harness = overStripe();

/** The same with destination charges: all payments are in one ledger, the platform's. */
const platformHarness = overStripe({ charges: 'destination' });

export function overStripe(
  options: Pick<
    NonNullable<Parameters<typeof createSimulatedStripe>[2]>,
    'charges' | 'create'
  > = {},
): Harness {
  return {
    serveHttp,
    open: (clock, _seed, adapterClock) =>
      overMap(
        createSimulatedStripe(clock, accounts, { sparseCards: true, ...options, adapterClock }),
      ),
  };
}

/**
 * The faults of a request between the adapter and Stripe; other tests have the rest.
 */
export const wireFaults = stripeFaults.filter(
  (kind) => !['oversizedBody', 'bareBody', 'redirect', 'unfinished'].includes(kind),
);

/** The same, with separate faults for the requests of a run, until all is healed. */
export function overWire(
  faultOf: (request: number, seed: number) => StripeFault | undefined,
): Harness {
  return {
    serveHttp,
    open(clock, seed, adapterClock) {
      let requests = 0;
      let met = 0;
      let isHealed = false;
      const faults = () => {
        requests += 1;
        const fault = isHealed ? undefined : faultOf(requests, seed);
        if (fault !== undefined) met += 1;
        return fault;
      };
      const stripe = createSimulatedStripe(clock, accounts, {
        faults,
        foreign: false,
        sparseCards: true,
        adapterClock,
      });
      return Object.assign(overMap(stripe), {
        heal() {
          isHealed = true;
          return met;
        },
      });
    },
  };
}

/** One request in this many has a fault. */
const faultyShare = 1 / 16;

/** A faulty connection to Stripe, with the same faults for the same seed. */
export const wireHarness: Harness = overWire((request, seed) => {
  const random = createRandom(seed * 100_003 + request);
  return random.chance(faultyShare) ? random.pickOr(wireFaults, 'refused') : undefined;
});

/** A crash keeps the content of a snapshot. */
function overMap(processor: World['processor']): World {
  let store = createMapStore();
  return {
    get store() {
      return store;
    },
    processor,
    reopen: async () => {
      store = createMapStore({ from: store.snapshot() });
    },
    backUp() {
      const from = store.snapshot();
      return () => {
        store = createMapStore({ from });
      };
    },
  };
}

/** The same over SQLite in a file, which is closed and opened again at every crash. */
export const sqliteHarness: Harness = {
  serveHttp,
  open(clock, seed): World {
    const folder = mkdtempSync(join(tmpdir(), 'chairside-simulation-'));
    let store = openFile(folder);
    return {
      get store() {
        return store;
      },
      processor: processorOf(clock, seed),
      reopen: async () => {
        await store.close();
        store = openFile(folder);
      },
      close: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

/** In one of this many commits the ground of the file goes away. */
const groundlessShare = 1 / 40;
const groundFiles = ['', '-wal', '-shm'] as const;

/**
 * The same, while an administrator takes away the database, its `-wal` or its `-shm` at random moments, and puts it
 * back when the process has ended (D205). Nothing is acknowledged meanwhile.
 */
export const groundlessHarness: Harness = {
  serveHttp,
  open(clock, seed): World {
    const folder = mkdtempSync(join(tmpdir(), 'chairside-groundless-'));
    const random = createRandom(seed);
    const furnished = clock.now();
    let isHealed = false;
    const acknowledged: string[] = [];
    let losses = 0;
    let isLost = false;
    let store = openWatched();

    function openWatched(): Store {
      const opened = openFile(folder);
      return {
        ...opened,
        commit(commit) {
          const isSpared = isHealed || isLost || clock.now() === furnished;
          if (isSpared || !random.chance(groundlessShare)) return opened.commit(commit);
          losses += 1;
          isLost = true;
          return new ResultAsync(withoutGround(opened, commit));
        },
      };
    }

    async function withoutGround(opened: Store, commit: Commit) {
      const path = join(folder, `chairside.db${random.pick(groundFiles)}`);
      renameSync(path, `${path}.away`);
      const answer = await opened.commit(commit);
      if (answer.isOk()) acknowledged.push(path);
      await opened.close();
      renameSync(`${path}.away`, path);
      store = openWatched();
      isLost = false;
      return answer;
    }

    return {
      get store() {
        return store;
      },
      processor: processorOf(clock, seed),
      reopen: async () => {
        if (isLost) return;
        await store.close();
        store = openWatched();
      },
      heal() {
        isHealed = true;
        return losses;
      },
      close: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
        if (acknowledged.length > 0) throw new Error(`acknowledged without ${acknowledged}`);
      },
    };
  },
};

/**
 * The same over PostgreSQL, in a separate schema. A turn ends with the server's reply, so that the
 * same seed has the same effect here as well.
 */
export function overPostgres(takeSchema: () => Promise<OwnSchema>): Harness {
  return {
    serveHttp,
    async open(clock, seed): Promise<World> {
      const { store, reopen, dispose } = await takeSchema();
      // The world has its own time, and the database server's is today's.
      const timed = (real: Store): Store => ({ ...real, now: () => okAsync(clock.now()) });
      let current = timed(store);
      return {
        get store() {
          return current;
        },
        processor: processorOf(clock, seed),
        reopen: async () => {
          current = timed(await reopen());
        },
        close: dispose,
      };
    },
  };
}

let schemas: Schemas | undefined;

/** Uses the server that `DATABASE_URL` names. */
const postgresHarness: Harness = overPostgres(() => {
  schemas ??= createSchemas(process.env['DATABASE_URL'] ?? '');
  return schemas.take();
});

/** Removes what {@link postgresHarness} made, before its server goes. */
export async function dropOwnSchemas(): Promise<void> {
  await schemas?.drop();
}

/** The harnesses by name. */
export const harnesses = {
  map: mapHarness,
  sqlite: sqliteHarness,
  groundless: groundlessHarness,
  postgres: postgresHarness,
  stripe: stripeHarness,
  platform: platformHarness,
  wire: wireHarness,
} as const;
export type HarnessName = keyof typeof harnesses;

/** Whether a harness runs Stripe's adapter on the stand-in. */
export const usesStripe = (name: HarnessName) => ['stripe', 'platform', 'wire'].includes(name);

export function isHarnessName(name: string): name is HarnessName {
  return Object.hasOwn(harnesses, name);
}

/** Every third processor shows its references only once a card was presented. */
function processorOf(clock: Clock, seed: number) {
  return createFakeProcessor({ clock, seed: `${seed}`, lateReferences: seed % 3 === 0 });
}

function openFile(folder: string): Store {
  const opened = openSqliteStore(join(folder, 'chairside.db'));
  if (opened.isErr()) throw new Error(opened.error.message);
  return opened.value;
}
