import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.ts';

const usage = `npx --yes pnpm bench [options]
  Every scenario against its floors, then a table.
npx --yes pnpm bench postgres [options]
  Those over PostgreSQL alone; TMPDIR is the disk that its server uses.
npx --yes pnpm bench soak [options]
  One long run, for what grows.

  --only NAME,NAME   these scenarios alone (a floor is one too: ratios need it)
  --seconds N        measured time of each run (3)
  --warm-up N        seconds before it, in which the code is compiled (4)
  --rounds N         rounds, interleaved; the table has their medians (3)
  --sizes N,N        how many payments a create meets in the database (0,100000,1000000)
  --smoke            one round of a fraction of a second each
  --json FILE        all the figures, as JSON
  --folder DIR       where the databases go; a real disk (.data/bench)
  --profile DIR      a CPU profile of each run's measured time
  --minutes N        of a soak (30)
`;

export interface Args {
  readonly isSoak: boolean;
  readonly only: readonly string[] | undefined;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly sizes: readonly number[];
  readonly spacePayments: number;
  readonly minutes: number;
  readonly json: string | undefined;
  readonly folder: string;
  readonly profile: string | undefined;
}

const overPostgres = Object.keys(scenarios).filter((name) => name.startsWith('postgres'));
const root = join(import.meta.dirname, '../../../..');

/** Parses the command line, or ends the process. */
export function readArgs(): Args {
  try {
    return parse();
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`);
    process.exit(2);
  }
}

function parse(): Args {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: text,
      seconds: text,
      'warm-up': text,
      rounds: text,
      sizes: text,
      smoke: { type: 'boolean', default: false },
      json: text,
      folder: { ...text, default: join(root, '.data/bench') },
      profile: text,
      minutes: text,
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit();
  }
  const [command, ...rest] = positionals;
  if (![undefined, 'soak', 'postgres'].includes(command) || rest.length > 0) {
    throw new Error(`Unknown argument: ${positionals.join(' ')}`);
  }
  const { smoke } = values;
  mkdirSync(values.folder, { recursive: true });
  if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true });
  return {
    isSoak: command === 'soak',
    only: command === 'postgres' ? overPostgres : values.only?.split(','),
    seconds: number(values.seconds, smoke ? 0.3 : 3),
    warmUpSeconds: number(values['warm-up'], smoke ? 0.2 : 4),
    rounds: number(values.rounds, smoke ? 1 : 3),
    sizes: (values.sizes ?? (smoke ? '0,1000' : '0,100000,1000000'))
      .split(',')
      .map((size) => number(size, 0)),
    spacePayments: smoke ? 200 : 5000,
    minutes: number(values.minutes, smoke ? 0.2 : 30),
    json: values.json,
    folder: values.folder,
    profile: values.profile,
  };
}

function number(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${text} is not a number.`);
}
