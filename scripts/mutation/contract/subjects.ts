/** An adapter of ours whose faults its contract alone has to notice. */
export interface Subject {
  readonly files: readonly string[];
  /** The file that runs the contract over it. */
  readonly test: string;
  /** The runs of the contract that count, by their names. */
  readonly only: RegExp;
  /** The longest time of one run. A contract takes less than half of it on a busy machine. */
  readonly longestMs: number;
  /** The tests need our PostgreSQL server. */
  readonly needsPostgres?: true;
}

const sqlite = 'packages/sqlite/src';
const postgres = 'packages/postgres/src';
const another = 'examples/another-store/src';
const stripe = 'packages/stripe/src';

/** Files that open, measure or only speed up an adapter are left out: ports do not describe them. */
export const subjects: Readonly<Record<string, Subject>> = {
  sqlite: {
    files: [`${sqlite}/{apply,store,writer,cell,commit-queue,read-queue}.ts`],
    test: 'packages/sqlite/test/contract.test.ts',
    only: /^The SQLite store keeps/,
    longestMs: 120_000,
  },
  'another-store': {
    files: [`${another}/*.ts`],
    test: 'examples/another-store/test/another-store.test.ts',
    only: /./,
    longestMs: 120_000,
  },
  postgres: {
    files: [
      `${postgres}/{committer,store,encode,columns,commit-group,groups,queue,outcome,reader}.ts`,
      `${postgres}/{literal,postgres-error}.ts`,
      `${postgres}/functions/{commit,commit-sets,read}.ts`,
    ],
    test: 'packages/postgres/test/contract.test.ts',
    only: /./,
    longestMs: 300_000,
    needsPostgres: true,
  },
  rows: {
    files: [
      'packages/core/src/storage/{certainty,document,calls,retry}.ts',
      'packages/core/src/storage/rows/*.ts',
    ],
    test: 'packages/sqlite/test/contract.test.ts',
    only: /^The SQLite store keeps/,
    longestMs: 120_000,
  },
  fake: {
    files: ['packages/fake-processor/src/*.ts'],
    test: 'packages/fake-processor/test/contract.test.ts',
    only: /./,
    longestMs: 120_000,
  },
  stripe: {
    files: [`${stripe}/*.ts`],
    test: 'packages/stripe/test/contract.test.ts',
    only: /./,
    longestMs: 180_000,
  },
};
