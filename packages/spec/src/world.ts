import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthContext,
  type Chairside,
  type ChairsideOptions,
  createChairside,
  type Observation,
  type Store,
} from '@chairside/core';
import {
  createFakeProcessor,
  type FakeProcessor,
  type FakeProcessorOptions,
} from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import { createManualClock, createMapStore, type ManualClock } from '@chairside/testkit';
import { afterEach, describe } from 'vitest';
import type { Answer } from './answer.ts';
import { httpClient } from './http.ts';
import { inProcessClient } from './in-process.ts';
import { openPostgres } from './open-postgres.ts';
import type { Request, SpecOperation } from './operations.ts';
import { type Person, people } from './people.ts';

/** Sends a request as somebody. */
export type Send = (
  operation: SpecOperation,
  as: Person | 'nobody' | 'badToken',
  request?: Request,
) => Promise<Answer>;

/** One service with all that is around it, to be driven by a spec. */
export interface World {
  readonly clock: ManualClock;
  readonly processor: FakeProcessor;
  readonly store: Store;
  readonly chairside: Chairside;
  /** All that the observer was told. */
  readonly observations: readonly Observation[];
  readonly send: Send;
}

export interface WorldOptions {
  readonly processor?: Omit<FakeProcessorOptions, 'clock'>;
  readonly rateLimits?: ChairsideOptions['rateLimits'];
  readonly challengeMethods?: ChairsideOptions['challengeMethods'];
  /** Stands between Chairside and its store, to make it fail. */
  readonly store?: (real: Store) => Store;
}

const stores = { map: openMap, sqlite: openSqlite, postgres: openPostgres };
const transports = { 'in process': inProcessClient, 'over HTTP': httpClient };

/** Which of the variants a spec runs in. */
export interface Where {
  readonly store: string;
  readonly transport: string;
}

/** Runs the same specs over every store, in process and over HTTP. */
export function describeEverywhere(
  name: string,
  specs: (makeWorld: (options?: WorldOptions) => Promise<World>, where: Where) => void,
): void {
  for (const [storeName, openStore] of Object.entries(stores)) {
    for (const [transportName, makeClient] of Object.entries(transports)) {
      // A server's store is slower, and HTTP says nothing new about it.
      if (storeName === 'postgres' && transportName === 'over HTTP') continue;
      describe(`${name} (${storeName}, ${transportName})`, () => {
        const open: (() => Promise<void>)[] = [];
        afterEach(async () => {
          for (const close of open.splice(0).reverse()) await close();
        });

        specs(
          async (options = {}) => {
            const clock = createManualClock();
            const processor = createFakeProcessor({ ...options.processor, clock });
            const { store: real, dispose } = await openStore();
            open.push(dispose);
            const store = options.store?.(real) ?? real;
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
            const client = await makeClient(chairside, authContextOf);
            open.push(client.close);
            return { clock, processor, store, chairside, observations, send: client.send };
          },
          { store: storeName, transport: transportName },
        );
      });
    }
  }
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

/** The shop that every spec begins with. */
async function seed({ records }: Chairside): Promise<void> {
  const puts = [
    await records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur', terminalLocation: 'loc_shop' },
    }),
    await records.putBusiness({ id: 'newShop', name: 'Not yet set up' }),
    await records.putBarber({ id: 'ada', businessId: 'shop' }),
    await records.putBarber({ id: 'ben', businessId: 'shop' }),
    await records.putBarber({ id: 'cleo', businessId: 'newShop' }),
  ];
  for (const put of puts) if (put.isErr()) throw new Error(put.error.detail);
}
