// Breaks an adapter in one place at a time, and lets its contract alone notice.
// `pnpm mutation:contract sqlite [--every 5] [--file apply.ts] [--line 120] [--list] [--again]`
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { editsOf } from './code-mutators.ts';
import type { Mutant } from './mutant.ts';
import { type Fate, openRunner, type Verdict } from './runner.ts';
import { type Subject, subjects } from './subjects.ts';

const root = join(import.meta.dirname, '../../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Each so many of the mutants. */
    every: { type: 'string', default: '1' },
    /** The first one of these. */
    from: { type: 'string', default: '0' },
    file: { type: 'string' },
    line: { type: 'string' },
    list: { type: 'boolean' },
    /** Only those that survived the last run. */
    again: { type: 'boolean' },
  },
});
const [name = ''] = positionals;
const found = subjects[name];
if (found === undefined) throw new Error(`The subjects are ${Object.keys(subjects).join(', ')}.`);
const folder = join(root, 'coverage/mutation', `contract-${name}`);
mkdirSync(folder, { recursive: true });

type Line = Omit<Mutant, 'text'> & Verdict;

function mutantsOf({ files }: Subject): readonly Mutant[] {
  return globSync([...files], { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return editsOf(text).map(({ start, end, to, rule }) => ({
        file,
        line: text.slice(0, start).split('\n').length,
        rule,
        from: text.slice(start, end),
        to,
        text: text.slice(0, start) + to + text.slice(end),
      }));
    });
}

const same = (one: Omit<Mutant, 'text'>, other: Mutant) =>
  one.file === other.file &&
  one.from === other.from &&
  one.to === other.to &&
  one.line === other.line;

function chosen(all: readonly Mutant[]): readonly Mutant[] {
  const { every, from, file, line } = values;
  const last: readonly Line[] = values.again
    ? JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8'))
    : [];
  const survived = last.filter(({ fate }) => fate === 'survived');
  return all
    .filter((_, index) => index % Number(every) === Number(from))
    .filter((mutant) => file === undefined || mutant.file.endsWith(`/${file}`))
    .filter((mutant) => line === undefined || mutant.line === Number(line))
    .filter((mutant) => !values.again || survived.some((one) => same(one, mutant)));
}

const shown = ({ file, line, rule, from, to }: Omit<Mutant, 'text'>) => {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 90);
  return `${file}:${line} ${rule}: ${short(from)} → ${short(to) || 'nothing'}`;
};

const all = mutantsOf(found);
const mutants = chosen(all);
process.stdout.write(`${mutants.length} of ${all.length} mutants of ${name}\n`);
if (values.list) {
  for (const mutant of mutants) process.stdout.write(`${shown(mutant)}\n`);
  process.exit();
}

// A flush to a disk takes most of the time of a store's run.
if (existsSync('/dev/shm')) process.env['TMPDIR'] = '/dev/shm';
const runner = await openRunner(name, folder);
try {
  const whole = await runner.run();
  if (whole.fate !== 'survived') throw new Error(`The contract fails as it is: ${whole.by}`);
  process.stdout.write(`the contract takes ${whole.ms} ms\n`);
  const lines: Line[] = [];
  for (const mutant of mutants) {
    const verdict = await runner.run(mutant);
    const { text: _text, ...rest } = mutant;
    lines.push({ ...rest, ...verdict });
    const by =
      verdict.by === undefined ? '' : ` | ${verdict.by.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
    process.stdout.write(`${verdict.fate} ${verdict.ms} ms ${shown(mutant)}${by}\n`);
    writeFileSync(join(folder, 'verdicts.json'), `${JSON.stringify(lines, undefined, 2)}\n`);
  }
  const count = (fate: Fate) => lines.filter((line) => line.fate === fate).length;
  const fates = ['invalid', 'killed', 'timedOut', 'survived'] as const;
  process.stdout.write(`${fates.map((fate) => `${fate} ${count(fate)}`).join(', ')}\n`);
} finally {
  await runner.close();
}
