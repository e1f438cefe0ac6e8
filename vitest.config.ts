import { configDefaults, defineConfig } from 'vitest/config';
import { peers } from './scripts/peers.ts';

// Tests run against the packages' sources, not against their builds.
const resolve = { conditions: ['@chairside/source', 'node'] };

/** The slow tests: seeds, faults, real processes, long runs. `pnpm proofs` runs them. */
const proofs = [
  'packages/proof/trials/test/**/*.spec.ts',
  'packages/cli/test/{golden,process}.test.ts',
  'packages/client/test/sweep/planted-bugs.test.ts',
  'packages/core/test/libreoffice.test.ts',
  'packages/postgres/test/{contract,copy,crash,killed-nodes,lost-answer,nodes}.test.ts',
  'packages/postgres/test/{pgbouncer,server-faults,shared-connection,standby}.test.ts',
  'packages/postgres/test/wire-faults.test.ts',
  'packages/stripe/test/{contract,members,verify}.test.ts',
  'packages/sqlite/test/{checkpointer,contract,failing-disk,ground,open-at-once}.test.ts',
  'packages/proof/spec/test/docs.spec.ts',
  'packages/proof/spec/test/ours/statement{Cash,Fortnight}.spec.ts',
  'packages/proof/spec/test/ours/wrong-*/*.test.ts',
  'packages/proof/testkit/test/{map-store-cost,wrong-stores}.test.ts',
  'examples/another-processor/test/{operations,simulation,wrong-processors}.test.ts',
  'examples/another-store/test/*.test.ts',
  'examples/local-server/test/till/{cash,day,missed-visits}.test.ts',
  'examples/local-server/test/{docs,install,local-server,memory,postgres,stripe-server}.test.ts',
  'examples/barber-app/test/visits.test.ts',
  'examples/many-nodes/test/*.test.ts',
  'examples/generated-clients/test/*.test.ts',
];
/** The same, and too long for each commit: `pnpm exec vitest run --project long` runs them, each night. */
const long = [
  'packages/proof/bench/test/smoke.test.ts',
  'packages/client/test/{browser/*,sweep/kill-sweep}.test.ts',
  'examples/another-store/test/operations.test.ts',
  'examples/local-server/test/till/{kill-sweep,pictures,pressed,reference,screens,shares,till,tips}.test.ts',
  'examples/shop-groups/test/*.test.ts',
];
/** These files close what their helpers opened, so each needs its own modules. */
const ownModules = ['packages/postgres/test/*.test.ts'];
/** Installs frameworks and runtimes from the registry: `pnpm hosts` runs them. */
const hosts = ['examples/hosts/test/*.test.ts'];
/** Installs React from the registry, and drives the example app in Chromium: `pnpm exec vitest run --project app` runs it. */
const app = ['examples/local-server/test/barber-app/*.test.ts'];

const shared = {
  // No test depends on speed: these limits only end tests that hang.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  setupFiles: [
    'scripts/fixed-seed.ts',
    'packages/postgres/test/force-sets.ts',
    'packages/proof/spec/test/ours/variants.ts',
    'packages/proof/stripe-stand-in/test/wire/watch.ts',
  ],
};
/** A test's import of a peer gets the lower end of its range. */
const lowest = peers.map((peer) => ({
  find: new RegExp(`^${peer}$`),
  replacement: `${peer}-lowest`,
}));
/** The suites that use each peer. */
const ofPeers = [
  'packages/core/src/values/result.test.ts',
  'packages/h3/test/*.test.ts',
  'packages/postgres/test/{contract,shared-connection}.test.ts',
  'packages/sqlite/test/{contract,one-copy}.test.ts',
];
/** Specs that do not run over the adapters, or say nothing about them: one run is enough. */
const onceOnly = [
  ...['canary', 'docs', 'everyOperation', 'foreignObjects', 'hostRecords'],
  ...['oddPorts', 'openapi', 'text'],
].map((name) => `packages/proof/spec/test/${name}.spec.ts`);
/** These load compilers, Stripe's adapter or every document. */
const notFast = ['foreignObjects', 'openapi'].map(
  (name) => `packages/proof/spec/test/${name}.spec.ts`,
);
/** Some of the variants of `packages/proof/spec/test/ours/variants.ts`. */
const over = (part: 'memory' | 'first' | 'second' | 'rest') => ({ CHAIRSIDE_VARIANTS: part });
const project = (
  name: string,
  include: string[],
  exclude: string[],
  isolate: boolean,
  alias: typeof lowest = [],
  globalSetup: string[] = [],
  execArgv: string[] = [],
  env: Record<string, string> = {},
) => ({
  resolve: { ...resolve, alias },
  ssr: { resolve },
  test: {
    ...shared,
    name,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    isolate,
    globalSetup,
    execArgv,
    env,
  },
});

export default defineConfig({
  test: {
    projects: [
      // Files share their modules, because importing them again took most of the time.
      project(
        'tests',
        [
          'packages/*/src/**/*.test.ts',
          '{packages,packages/proof,examples}/*/test/**/*.{test,spec}.ts',
        ],
        [...proofs, ...long, ...ownModules, ...hosts, ...app],
        false,
        [],
        [],
        [],
        over('first'),
      ),
      project('postgres', ownModules, proofs, true),
      project('proofs', proofs, long, true, [], [], [], over('first')),
      project('long', long, [], true),
      project(
        'fast',
        ['packages/{core,client}/{src/**,test}/*.test.ts', 'packages/proof/spec/test/*.spec.ts'],
        [...proofs, ...notFast],
        false,
        [],
        [],
        [],
        over('memory'),
      ),
      ...(['second', 'rest'] as const).map((part) =>
        project(
          part === 'second' ? 'variants' : 'rest',
          ['packages/proof/spec/test/*.spec.ts'],
          onceOnly,
          false,
          [],
          [],
          [],
          over(part),
        ),
      ),
      project('app', app, [], true, [], ['examples/local-server/test/barber-app/install-once.ts']),
      project('hosts', hosts, [], true, [], ['examples/hosts/test/pack-once.ts']),
      project('lowest', ofPeers, [], true, lowest, [], ['--import', './scripts/lowest-peers.ts']),
    ],
    // One worker for each core. The default leaves one out for the main thread, which is idle.
    maxWorkers: '100%',
    globalSetup: ['scripts/test-folder.ts', 'packages/postgres/test/global-setup.ts'],
    reporters: ['default', 'json'],
    // A reporter's own option could not be overridden on the command line.
    outputFile: { json: 'coverage/tests.json' },
    coverage: {
      provider: 'v8',
      // Watching every package, and drawing pages of it, took as long again as the tests.
      include: ['packages/core/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'json-summary'],
      // The proofs reach the rest: seeds, faults at every call, stopped processes.
      thresholds: { 'packages/core/src/**': { branches: 95, lines: 99 } },
    },
  },
});
