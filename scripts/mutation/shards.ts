/** A part of the code that one run of Stryker breaks, and the tests that have to notice. */
export interface Shard {
  readonly mutate: readonly string[];
  /** Those that notice most come first: the first failure ends the run of a mutant. */
  readonly tests: readonly string[];
  /** The tests need our PostgreSQL server. */
  readonly needsPostgres?: true;
  /** The longest time of one test. Default: {@link longestMs}. */
  readonly longestMs?: number;
  /** Only the contract that a foreign adapter would run, by the name of its runs; also faults of SQL and of ports. */
  readonly contract?: RegExp;
}

/** A test of plain code that takes longer hangs. */
export const longestMs = 6000;

/**
 * @param files below the core's sources.
 * @param tests names of unit tests and specs.
 * @param except files that another shard has.
 */
function core(files: string, tests: readonly string[], ...except: readonly string[]): Shard {
  const all = 'packages/core/src';
  return {
    mutate: [`${all}/${files}`, ...except.map((file) => `!${all}/${file}`)],
    tests: [...tests, '*'].flatMap((name) => [
      `packages/core/test/${name}.test.ts`,
      `packages/proof/spec/test/${name}.spec.ts`,
    ]),
  };
}

const moneyOfDomain = 'domain/{payment,follow-ledger,dues,dispute,refund}.ts';
const capture = ['captureContactlessPayment', 'loweredDues', 'repeatedCapture', 'regressionsMoney'];
const create = ['deciders', 'createContactlessPayment', 'interruptedCreate', 'carry'];
const refund = ['refunds', 'refundPayment', 'refundUpkeep', 'refundRaces', 'returned'];
const upkeep = ['upkeep', 'review', 'reviewList', 'reconcileInGroups', 'clocks', 'foreignObjects'];

/** The parts that hold money come first. */
export const shards: Readonly<Record<string, Shard>> = {
  'core/capturing': core('work/capturing/*.ts', [
    ...['deciders', ...capture, 'partialAuthorization', 'clocks', 'rejectedRead', 'failingStore'],
  ]),
  'core/refunding': core('work/refunding/*.ts', [...refund, 'refundClocks', 'foreignObjects']),
  'core/domain-money': core(moneyOfDomain, ['follow-ledger', 'payment', ...refund, ...capture]),
  'core/settling': core('work/settling/*.ts', [
    ...['sweep-list', 'sweep', 'settle-payment', ...upkeep, 'refundUpkeep', 'sweptSettlements'],
    'interruptedCreate',
  ]),
  'core/payment': core('work/payment/*.ts', [
    ...['payment-changes', 'reviews', 'write-payment', 'reviewList', 'review', ...capture],
    'domainEvents',
  ]),
  'core/dues': core('work/dues/*.ts', [...capture, 'createContactlessPayment']),
  'core/opening': core('work/opening/*.ts', [
    ...create,
    'applicationFees',
    'clocks',
    'paidAppointment',
  ]),
  'core/canceling': core('work/canceling/*.ts', [
    ...['deciders', 'cancelContactlessPayment', 'cancelAfterInterruption', 'clocks'],
    ...['rejectedRead', 'paidAppointment', 'failingStore', ...capture],
  ]),
  'core/work': core('work/*.ts', ['lease', ...create, ...capture, 'clocks', 'faults']),
  'core/charging': core('work/charging/*.ts', [
    ...['charge', 'chargeInterruptions', 'chargePaymentMethod', 'chargeRaces', 'tips'],
  ]),
  'core/statement': core('work/statement/*.ts', [
    ...['statement', 'statementDays', 'statementPayouts', 'sweptSettlements', 'movement'],
  ]),
  'core/setup': core('work/{setup,terminal}/*.ts', [
    ...['preparePaymentMethod', 'interruptedSetup', 'expiredSetups', 'setupRetention', 'terminals'],
  ]),
  'core/call': core('call/*.ts', [
    ...['perform', 'idempotency', 'commit', 'admission', 'input', 'rate-limit', 'deadline'],
    ...['operation', 'auth-context', 'background', 'outcomesUnderKeys', 'errorTable'],
  ]),
  'core/domain': core('domain/*.ts', ['*'], moneyOfDomain),
  'core/operations': core('operations/**/*.ts', ['*']),
  sqlite: {
    mutate: ['packages/sqlite/src/{apply,store,writer,commit-queue,cell}.ts'],
    longestMs: 8000,
    tests: ['contract', 'group-commit', 'group-read', 'failure', 'checkpointer', 'open'].map(
      (name) => `packages/sqlite/test/${name}.test.ts`,
    ),
  },
  postgres: {
    mutate: ['packages/postgres/src/{committer,encode,columns,queue,outcome,retry}.ts'],
    tests: [
      ...['queue', 'outcome', 'retry', 'postgres-error', 'group-order', 'denied', 'torn', 'sets'],
      ...['late-error', 'unexpected-replies', 'corrupt-row', 'lost-answer', 'contract'],
    ].map((name) => `packages/postgres/test/${name}.test.ts`),
    needsPostgres: true,
    longestMs: 12_000,
  },
  'stripe/reading': {
    mutate: [
      'packages/stripe/src/{intents,ledger,ledger-list,list,sweep-lists}.ts',
      'packages/stripe/src/{events,marks,shapes,disputes,refunds,tables}.ts',
    ],
    tests: [
      ...[
        'listing',
        'codes',
        'refunds',
        'disputes',
        'events',
        'failures',
        'wrong-clock',
        'settlements',
      ].map((name) => `packages/stripe/test/${name}.test.ts`),
      'packages/stripe/test/{charges,keys,setups,terminal-currencies,wire,ledger}.test.ts',
      'packages/stripe/test/contract.test.ts',
      'packages/proof/spec/test/{foreignObjects,processorEvents}.spec.ts',
    ],
  },
  h3: {
    mutate: [
      'packages/h3/src/{handler,exchange,service,route,input,body,json,answer}.ts',
      'packages/h3/src/{raw-answer,cors,authenticate,in-time,upkeep,processor-events}.ts',
    ],
    // Clients that are slow on purpose come last.
    tests: [
      ...[
        ...['handler', 'input', 'refunds', 'upkeep', 'never-replies', 'over-a-socket', 'hosts'],
        ...['processor-events', 'body-parsers'],
      ].map((name) => `packages/h3/test/${name}.test.ts`),
      ...[
        ...['errorTable', 'processorEventsOverHttp', 'canary', 'text', 'tips', 'refundPayment'],
        ...['chargePaymentMethod', 'outcomesUnderKeys', 'createContactlessPayment'],
      ].map((name) => `packages/proof/spec/test/${name}.spec.ts`),
      'packages/h3/test/{node-server,regressions,hardening}.test.ts',
    ],
  },
  // Files that open, measure or only speed up an adapter are left out: ports do not describe them.
  'contract/sqlite': {
    mutate: ['packages/sqlite/src/{apply,store,writer,cell,commit-queue,read-queue}.ts'],
    tests: ['packages/sqlite/test/contract.test.ts'],
    contract: /^The SQLite store keeps/,
    longestMs: 8000,
  },
  'contract/rows': {
    mutate: ['packages/core/src/storage/rows/*.ts'],
    tests: ['packages/sqlite/test/contract.test.ts'],
    contract: /^The SQLite store keeps/,
    longestMs: 8000,
  },
  'contract/another-store': {
    mutate: [
      'examples/another-store/src/*.ts',
      'packages/core/src/storage/{certainty,document,calls,retry}.ts',
    ],
    tests: ['examples/another-store/test/another-store.test.ts'],
    contract: /./,
    longestMs: 8000,
  },
  'contract/postgres': {
    mutate: [
      'packages/postgres/src/{committer,store,encode,columns,commit-group,groups,queue}.ts',
      'packages/postgres/src/{outcome,reader,literal,postgres-error}.ts',
    ],
    tests: ['packages/postgres/test/contract.test.ts'],
    contract: /./,
    needsPostgres: true,
    longestMs: 60_000,
  },
  /** Each is created by the migration, so `--loaded` tries them. */
  'contract/postgres-functions': {
    mutate: ['packages/postgres/src/functions/{commit,commit-sets,read}.ts'],
    tests: ['packages/postgres/test/contract.test.ts'],
    contract: /./,
    needsPostgres: true,
    longestMs: 60_000,
  },
  // The rest of the fake is a processor of its own choice (fees, payouts, cards) with its controls.
  'contract/fake': {
    mutate: [
      'packages/fake-processor/src/{calls,listing,settlements,setups,once,receipt,returned}.ts',
      'packages/fake-processor/src/{events,signature,entry,entry-changes,books}.ts',
    ],
    tests: ['packages/fake-processor/test/contract.test.ts'],
    contract: /: fake(?: with late references| whose captures end later)? /,
  },
  'contract/stripe': {
    mutate: [
      'packages/stripe/src/*.ts',
      '!packages/stripe/src/{index,options,connection,account,transport}.ts',
    ],
    tests: ['packages/stripe/test/contract.test.ts'],
    contract: /(?:direct|destination) charges /,
  },
};
