import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.ts';

const usage = `npx --yes pnpm bench [options]
  Every scenario against its floors, then a table.
npx --yes pnpm bench postgres [options]
  Those over PostgreSQL alone; TMPDIR is the disk that its server uses.
npx --yes pnpm bench statement [options]
  The statement of a day, over a year of payments in each store.
npx --yes pnpm bench soak [options]
  One long run, for what grows.

  --only NAME,NAME   these scenarios alone (a floor is one too: ratios need it)
  --seconds N        measured time of each run (3)
  --warm-up N        seconds before it, in which the code is compiled (4)
  --rounds N         rounds, interleaved; the table has their medians (3)
  --sizes N,N        how many payments a create meets in the database (0,100000,1000000)
  --folder DIR       where the databases go; a real disk (.data/bench)
  --profile DIR      a CPU profile of each run's measured time
  --minutes N        of a soak (30)
  --payments N       of the year behind a statement (300000)
`;

export type Args = ReturnType<typeof parse>;

/** Parses the command line, or ends the process. */
export function readArgs(): Args {
  try {
    return parse();
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`);
    process.exit(2);
  }
}

function parse() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      seconds: text('3'),
      'warm-up': text('4'),
      rounds: text('3'),
      sizes: text('0,100000,1000000'),
      folder: text(join(import.meta.dirname, '../../../../.data/bench')),
      profile: { type: 'string' },
      minutes: text('30'),
      payments: text('300000'),
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit();
  }
  const [command, ...rest] = positionals;
  if (![undefined, 'soak', 'postgres', 'statement'].includes(command) || rest.length > 0) {
    throw new Error(`Unknown argument: ${positionals.join(' ')}`);
  }
  mkdirSync(values.folder, { recursive: true });
  if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true });
  const overPostgres = Object.keys(scenarios).filter((name) => name.startsWith('postgres'));
  return {
    command,
    only: command === 'postgres' ? overPostgres : values.only?.split(','),
    seconds: number(values.seconds),
    warmUpSeconds: number(values['warm-up']),
    rounds: number(values.rounds),
    sizes: values.sizes.split(',').map(number),
    folder: values.folder,
    profile: values.profile,
    minutes: number(values.minutes),
    payments: number(values.payments),
  };
}

function number(text: string): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${text} is not a number.`);
}
