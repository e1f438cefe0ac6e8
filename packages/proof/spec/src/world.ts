import {
  type AuthContext,
  type Chairside,
  type ChairsideOptions,
  createChairside,
  type Observation,
  okAsync,
} from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import {
  createFakeProcessor,
  type FakeProcessor,
  type FakeProcessorOptions,
} from '@chairside/fake-processor';
import { createManualClock, type DrivenProcessor, type ManualClock } from '@chairside/testkit';
import { afterAll, afterEach, describe, it, type TestAPI, type TestContext } from 'vitest';
import type { httpClient } from './http.ts';
import { inProcessClient } from './in-process.ts';
import { people } from './people.ts';

import type { Send } from './send.ts';
import { type StoreVariant, type Transport, variants } from './variants.ts';

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
  /** Switches tips on (D48). */
  readonly tips?: ChairsideOptions['tips'];
  /** Switches shares on (D208). */
  readonly shares?: ChairsideOptions['shares'];
  /** Replaces the host's authenticator, to make it fail. */
  readonly authenticate?: (person: string) => AuthContext | undefined;
  /** Wraps the store, to make it fail. */
  readonly store?: (real: Store) => Store;
}

type Client = typeof httpClient;

const transports: Readonly<Record<Transport, Client>> = {
  'in process': inProcessClient,
  // Only our own runs need a server.
  'over HTTP': async (chairside, authContextOf, switched) => {
    const { httpClient } = await import('./http.ts');
    return httpClient(chairside, authContextOf, switched);
  },
};

export const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };

/** Options that only the fake has. */
export interface FakeWorldOptions extends WorldOptions {
  readonly processor?: Omit<FakeProcessorOptions, 'clock'>;
  /** A database that was restored from a backup: another world's processor knows more (D210). */
  readonly restoredFrom?: World;
}

const fake = (clock: ManualClock, { processor, restoredFrom }: FakeWorldOptions) =>
  restoredFrom?.processor ?? createFakeProcessor({ ...processor, clock });

/** Why a spec that sends a reference before a card is presented does not fit some variants. */
export const notYetKnown = 'the reference is not known before a card was presented';

/** The variant that runs a spec. */
interface Where {
  readonly transport: Transport;
  readonly processor: string;
  readonly hasLateReferences: boolean;
}

/** Vitest's `it`. A test that takes a world is given a new one; another makes its own, with options. */
interface It<W> {
  (name: string, test: (world: W, context: TestContext) => unknown): void;
  for<const T>(rows: readonly T[]): (name: string, test: (row: T, world: W) => unknown) => void;
  skipIf(condition: boolean): It<W>;
}

/** What the specs of one variant are given. */
interface Given<P extends DrivenProcessor, O> extends Where {
  readonly it: It<World<P>>;
  /** The variant whose store is the fastest. It tries what the others try in part. */
  readonly isFirst: boolean;
  /** `it` in that variant alone: the test says nothing about stores and transports. */
  readonly once: It<World<P>>;
  /** `it` with other worlds. */
  itWith(options: O): It<World<P>>;
  makeWorld(options?: O): Promise<World<P>>;
}

type Specs<P extends DrivenProcessor, O = WorldOptions> = (given: Given<P, O>) => void;

/** Runs the same specs over every store, in process and over HTTP. */
export function describeEverywhere(
  name: string,
  specs: Specs<FakeProcessor, FakeWorldOptions>,
): void {
  for (const { store, transports } of variants().stores) {
    for (const transport of transports) {
      const where = { transport, processor: 'fake', hasLateReferences: false };
      describeWhere(name, store, where, fake, specs);
    }
  }
}

/** The same, and with every other processor on one store each. */
export function describeWithEveryProcessor(name: string, specs: Specs<DrivenProcessor>): void {
  describeEverywhere(name, specs);
  for (const { store, name: processor, hasLateReferences, make } of variants().processors) {
    const where = { transport: 'in process', processor, hasLateReferences } as const;
    describeWhere(name, store, where, (clock) => make(clock, account), specs);
  }
}

function describeWhere<P extends DrivenProcessor>(
  name: string,
  store: StoreVariant,
  where: Where,
  makeProcessor: (clock: ManualClock, options: FakeWorldOptions) => P | Promise<P>,
  specs: Specs<P, FakeWorldOptions>,
): void {
  describe(`${name} (${store.name}, ${where.transport}, ${where.processor})`, () => {
    const open: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const close of open.splice(0).reverse()) await close();
    });

    if (store.afterAll !== undefined) afterAll(store.afterAll);

    const makeWorld = async (options: FakeWorldOptions = {}): Promise<World<P>> => {
      const lost = options.restoredFrom;
      const clock = lost?.clock ?? createManualClock();
      const processor = await makeProcessor(clock, options);
      const { store: real, dispose } = await store.open();
      open.push(dispose);
      // The shared clock is the world's, independent of the database server's time.
      const shared = real.now === undefined ? real : { ...real, now: () => okAsync(clock.now()) };
      const wrapped = options.store?.(shared) ?? shared;
      const observations: Observation[] = [];
      const { rateLimits = 'off', challengeMethods = {}, tips, shares } = options;
      const chairside = createChairside({
        store: wrapped,
        processor,
        clock,
        rateLimits,
        challengeMethods,
        tips,
        shares,
        restored: lost !== undefined,
        observe: (seen) => observations.push(seen),
      });
      // Apart from the wrapped store, which may fail.
      await seed(createChairside({ store: shared, processor, clock }));
      // A node's first commit claims the store's world (D210), before the spec counts reads.
      (await chairside.records.putBarber({ id: 'ada', businessId: 'shop' })).isOk();
      observations.length = 0;
      const { authenticate = authContextOf } = options;
      const client = await transports[where.transport](chairside, authenticate, {
        tips: tips !== undefined,
        shares: shares === true,
      });
      open.push(client.close);
      return { clock, processor, store: wrapped, chairside, observations, send: client.send };
    };
    const itWith = (options: FakeWorldOptions) => inWorlds(it, () => makeWorld(options));
    const isFirst = store.name === 'map' && where.transport === 'in process';
    const once = itWith({}).skipIf(!isFirst);
    specs({ ...where, it: itWith({}), isFirst, once, itWith, makeWorld });
  });
}

function inWorlds<W>(real: ReturnType<TestAPI['skipIf']>, makeWorld: () => Promise<W>): It<W> {
  type Test = Parameters<It<W>>[1];
  const takesNoWorld = (test: Test): test is () => unknown => test.length === 0;
  return Object.assign(
    (name: string, test: Test) =>
      real(name, async (context) => {
        if (takesNoWorld(test)) await test();
        else await test(await makeWorld(), context);
      }),
    {
      for:
        <const T>(rows: readonly T[]) =>
        (name: string, test: (row: T, world: W) => unknown) => {
          const takesRow = (one: typeof test): one is (row: T) => unknown => one.length < 2;
          real.for(rows)(name, async (row) => {
            if (takesRow(test)) await test(row);
            else await test(row, await makeWorld());
          });
        },
      skipIf: (condition: boolean) => inWorlds(it.skipIf(condition), makeWorld),
    },
  );
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
