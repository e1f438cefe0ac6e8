import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage = `npx --yes pnpm bench [closed | open | growth | storms | soak] [options]
  --only NAME,NAME   closed: targets, create, capture; else stores; open: also a law, nodes, visits a second
  --seconds N        measured time of a run
  --warm-up N        seconds before it, in which the code is compiled
  --rounds N         of everything, interleaved
  --latency N        milliseconds of a call to the processor, where it has any
  --sizes N,N        payments of growth and storms
  --minutes N        of a soak
  --folder DIR       for SQLite, on a real disk (.data/bench). PostgreSQL uses TMPDIR.
NODE_OPTIONS='--cpu-prof --cpu-prof-dir=DIR' writes a CPU profile of each process.`;

/** What the commands do without options. */
const defaults = {
  closed: { seconds: '3', 'warm-up': '4', rounds: '3' },
  open: { seconds: '20', 'warm-up': '10', rounds: '3', latency: '300' },
  growth: { seconds: '30', 'warm-up': '10', sizes: '10000,1000000' },
  storms: { seconds: '20', 'warm-up': '10', sizes: '50000', latency: '300' },
  soak: { seconds: '60', 'warm-up': '0', minutes: '90', latency: '300' },
};
const isCommand = (name: string): name is keyof typeof defaults => name in defaults;

export type Args = ReturnType<typeof readArgs>;

/** Ends the process with the usage if they are wrong. */
export function readArgs(args: readonly string[]) {
  const numbers = ['seconds', 'warm-up', 'rounds', 'latency', 'sizes', 'minutes'];
  const named = ['only', 'folder', ...numbers].map((name) => [name, { type: 'string' }]);
  const options: Record<string, { type: 'string' }> = Object.fromEntries(named);
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [command = 'closed'] = positionals;
  const given: Record<string, string> = isCommand(command)
    ? { ...defaults[command], ...values }
    : {};
  const numbersOf = (name: string) => (given[name] ?? '0').split(',').map(Number);
  const number = (name: string) => numbersOf(name)[0] ?? 0;
  if (!isCommand(command) || numbers.flatMap(numbersOf).some(Number.isNaN)) {
    console.error(usage);
    process.exit(2);
  }
  const { folder = join(import.meta.dirname, '../../../../.data/bench') } = given;
  mkdirSync(folder, { recursive: true });
  const only = given['only']?.split(',');
  return {
    ...{ command, folder, only, sizes: numbersOf('sizes'), minutes: number('minutes') },
    ...{ seconds: number('seconds'), warmUp: number('warm-up'), rounds: number('rounds') },
    latencyMs: number('latency'),
    /** Whether a part with one of these names runs: all do, unless some are named. */
    wants: (...names: string[]) => !only || names.some((name) => only.includes(name)),
  };
}
