import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthContext,
  type Chairside,
  type ChairsideOptions,
  createChairside,
  type Observation,
  okAsync,
  type Store,
} from '@chairside/core';
import {
  createFakeProcessor,
  type FakeProcessor,
  type FakeProcessorOptions,
} from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import { createManualClock, createMapStore, type ManualClock } from '@chairside/testkit';
import { afterAll, afterEach, describe } from 'vitest';
import { httpClient } from './http.ts';
import { inProcessClient } from './in-process.ts';
import { dropSchemas, openPostgres } from './open-postgres.ts';
import { people } from './people.ts';
import type { DrivenProcessor } from './processors/driven-processor.ts';
import { createSimulatedStripe } from './processors/simulated-stripe.ts';
import type { Send } from './send.ts';

/** One service with its surroundings, for a spec. */
export interface World<P extends DrivenProcessor = FakeProcessor> {
  readonly clock: ManualClock;
  readonly processor: P;
  readonly store: Store;
  readonly chairside: Chairside;
  /** Everything that the observer received. */
  readonly observations: readonly Observation[];
  readonly send: Send;
}

/** A world with any processor. */
export type AnyWorld = World<DrivenProcessor>;

export interface WorldOptions {
  readonly rateLimits?: ChairsideOptions['rateLimits'];
  readonly challengeMethods?: ChairsideOptions['challengeMethods'];
  /** Replaces the host's authenticator, to make it fail. */
  readonly authenticate?: (person: string) => AuthContext | undefined;
  /** Wraps the store, to make it fail. */
  readonly store?: (real: Store) => Store;
}

const stores = { map: openMap, sqlite: openSqlite, postgres: openPostgres };
const transports = { 'in process': inProcessClient, 'over HTTP': httpClient };

const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };

/** Options that only the fake has. */
export interface FakeWorldOptions extends WorldOptions {
  readonly processor?: Omit<FakeProcessorOptions, 'clock'>;
}

const fake = (clock: ManualClock, { processor }: FakeWorldOptions) =>
  createFakeProcessor({ ...processor, clock });

/** The processors other than the fake with its defaults. */
const otherProcessors = {
  /** References are unknown until a card is presented, as with some real processors. */
  'late references': (clock: ManualClock) => createFakeProcessor({ clock, lateReferences: true }),
  stripe: (clock: ManualClock) => createSimulatedStripe(clock, [account]),
} satisfies Readonly<Record<string, (clock: ManualClock) => DrivenProcessor>>;

/** Why a spec that sends a reference before a card is presented does not fit some variants. */
export const notYetKnown = 'the reference is not known before a card was presented';

/** Selects the variants of a spec. */
export interface Where {
  readonly store: keyof typeof stores;
  readonly transport: keyof typeof transports;
  readonly processor: 'fake' | keyof typeof otherProcessors;
}

type Specs<P extends DrivenProcessor, O = WorldOptions> = (
  makeWorld: (options?: O) => Promise<World<P>>,
  where: Where,
) => void;

/** Runs the same specs over every store, in process and over HTTP. */
export function describeEverywhere(
  name: string,
  specs: Specs<FakeProcessor, FakeWorldOptions>,
): void {
  for (const store of ['map', 'sqlite', 'postgres'] as const) {
    for (const transport of ['in process', 'over HTTP'] as const) {
      // A server's store is slower, and HTTP adds no coverage for it.
      if (store === 'postgres' && transport === 'over HTTP') continue;
      describeWhere(name, { store, transport, processor: 'fake' }, fake, specs);
    }
  }
}

/** The same, and with every other processor on one store each. */
export function describeWithEveryProcessor(name: string, specs: Specs<DrivenProcessor>): void {
  describeEverywhere(name, specs);
  const late = { store: 'map', transport: 'in process', processor: 'late references' } as const;
  describeWhere(name, late, otherProcessors['late references'], specs);
  const stripe = { store: 'sqlite', transport: 'in process', processor: 'stripe' } as const;
  describeWhere(name, stripe, otherProcessors.stripe, specs);
}

function describeWhere<P extends DrivenProcessor>(
  name: string,
  where: Where,
  makeProcessor: (clock: ManualClock, options: FakeWorldOptions) => P,
  specs: Specs<P, FakeWorldOptions>,
): void {
  describe(`${name} (${Object.values(where).join(', ')})`, () => {
    const open: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of open.splice(0).reverse()) await close();
    });

    if (where.store === 'postgres') afterAll(dropSchemas);

    specs(async (options = {}) => {
      const clock = createManualClock();
      const processor = makeProcessor(clock, options);
      const { store: real, dispose } = await stores[where.store]();
      open.push(dispose);
      // The shared clock is the world's, independent of the database server's time.
      const shared = real.now === undefined ? real : { ...real, now: () => okAsync(clock.now()) };
      const store = options.store?.(shared) ?? shared;
      const observations: Observation[] = [];
      const { rateLimits = 'off', challengeMethods = {} } = options;
      const chairside = createChairside({
        store,
        processor,
        clock,
        rateLimits,
        challengeMethods,
        observe: (seen) => observations.push(seen),
      });
      await seed(chairside);
      observations.length = 0;
      const { authenticate = authContextOf } = options;
      const client = await transports[where.transport](chairside, authenticate);
      open.push(client.close);
      return { clock, processor, store, chairside, observations, send: client.send };
    }, where);
  });
}

function openMap() {
  const store = createMapStore();
  return { store, dispose: () => store.close() };
}

function openSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-spec-'));
  const opened = openSqliteStore(join(folder, 'chairside.db'));
  if (opened.isErr()) throw new Error(opened.error.message);
  const store = opened.value;
  return {
    store,
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function authContextOf(person: string): AuthContext | undefined {
  const everyone: Readonly<Record<string, AuthContext>> = people;
  return Object.hasOwn(everyone, person) ? everyone[person] : undefined;
}

/** The shop at the start of every spec. */
async function seed({ records }: Chairside): Promise<void> {
  const puts = [
    await records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: account,
    }),
    await records.putBusiness({ id: 'newShop', name: 'Not yet set up' }),
    await records.putBarber({ id: 'ada', businessId: 'shop' }),
    await records.putBarber({ id: 'ben', businessId: 'shop' }),
    await records.putBarber({ id: 'cleo', businessId: 'newShop' }),
  ];
  for (const put of puts) if (put.isErr()) throw new Error(put.error.detail);
}
