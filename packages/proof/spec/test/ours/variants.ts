// Chooses our own adapters for the specs. Each is loaded when a spec opens it, since this file runs
// before every test file.
import type { Store } from '@chairside/core/ports';
import { useVariants, type Variants } from '../../src/variants.ts';

async function openMap() {
  const { createMapStore } = await import('@chairside/testkit');
  const store = createMapStore();
  const commit: Store['commit'] = (asked) => {
    JSON.stringify(asked, refuseUndefined);
    return store.commit(asked);
  };
  return { store: { ...store, commit }, dispose: () => store.close() };
}

/** A record leaves out what it lacks; only these two may be undefined. */
function refuseUndefined(name: string, value: unknown): unknown {
  if (value === undefined && name !== 'work' && name !== 'books') throw new TypeError(name);
  return typeof value === 'bigint' ? String(value) : value;
}

async function openSqlite() {
  const { openSqliteFile } = await import('./open-sqlite.ts');
  return openSqliteFile();
}

async function openPostgres() {
  const { openPostgres: open } = await import('./open-postgres.ts');
  return open();
}

async function dropSchemas() {
  const { dropSchemas: drop } = await import('./open-postgres.ts');
  await drop();
}

const map = { name: 'map', open: openMap };
const sqlite = { name: 'sqlite', open: openSqlite };
const postgres = { name: 'postgres', open: openPostgres, afterAll: dropSchemas };

const lateReferences: Variants['processors'][number] = {
  // References are unknown until a card is presented, as with some real processors.
  name: 'late references',
  hasLateReferences: true,
  store: map,
  async make(clock) {
    const { createFakeProcessor } = await import('@chairside/fake-processor');
    return createFakeProcessor({ clock, lateReferences: true });
  },
};
const stripe: Variants['processors'][number] = {
  name: 'stripe',
  hasLateReferences: false,
  store: sqlite,
  async make(clock, account) {
    const { createSimulatedStripe } = await import('./simulated-stripe.ts');
    return createSimulatedStripe(clock, [account]);
  },
};

const first: Variants = {
  stores: [
    { store: map, transports: ['in process'] },
    { store: sqlite, transports: ['over HTTP'] },
  ],
  processors: [stripe],
};
const second: Variants = {
  // A server's store is slower, and HTTP adds no coverage for it.
  stores: [{ store: postgres, transports: ['in process'] }],
  processors: [lateReferences],
};
/** The same stores and transports, paired otherwise. */
const rest: Variants = {
  stores: [
    { store: map, transports: ['over HTTP'] },
    { store: sqlite, transports: ['in process'] },
  ],
  processors: [],
};

const parts: Readonly<Record<string, readonly Variants[]>> = {
  // `pnpm test:fast`, `pnpm test`, `pnpm proofs`, and each night.
  memory: [{ stores: [{ store: map, transports: ['in process'] }], processors: [] }],
  first: [first],
  second: [second],
  rest: [rest],
};
const { CHAIRSIDE_VARIANTS: part = 'all' } = process.env;
const chosen = parts[part] ?? [first, second, rest];

useVariants({
  stores: chosen.flatMap(({ stores }) => stores),
  processors: chosen.flatMap(({ processors }) => processors),
});
