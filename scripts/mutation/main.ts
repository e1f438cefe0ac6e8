// Breaks the code one rule at a time, and runs against each mutant the tests that reach it.
// `pnpm mutation [--shard core/dues]… [--rule ArithmeticOperator] [--every 10] [--again] [--loaded]`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { instrument, type Mutant, root } from './instrument.ts';
import { addNote, readNotes } from './notes.ts';
import { longestMs, type Shard, shards } from './shards.ts';

const { values } = parseArgs({
  options: {
    shard: { type: 'string', multiple: true },
    /** Only mutants of this rule, as the name of Stryker's mutator. */
    rule: { type: 'string' },
    /** Each so many of the mutants. */
    every: { type: 'string', default: '1' },
    /** The lowest score in percent. */
    least: { type: 'string', default: '0' },
    /** Only those that survived the last run. */
    again: { type: 'boolean', default: false },
    /** Also those that only run while a file is loaded: a process for each. */
    loaded: { type: 'boolean', default: false },
  },
});
const folder = join(root, 'coverage/mutation');
const mostStarts = 500;
const startMs = 100_000;

/** The fate of a mutant. `loaded`: the mutant only runs while a file is loaded, so no test can meet it. */
type Fate = 'killed' | 'invalid' | 'survived' | 'unreached' | 'loaded';
type Verdict = Mutant & { readonly fate: Fate; readonly by?: string; readonly why?: string };
/** Such a mutant is no program or no SQL, so it cannot be an adapter. */
const isNoProgram =
  /syntax error|SyntaxError|no such column|no such table|incomplete input|near "|code: '42(?:601|703|P01|883|804|P10|702)'|does not exist|is ambiguous|ReferenceError|datatype mismatch/;

mkdirSync(folder, { recursive: true });
for (const name of values.shard ?? Object.keys(shards)) {
  const verdicts = await runShard(name);
  const count = (fate: Fate) => verdicts.filter((verdict) => verdict.fate === fate).length;
  const all = verdicts.length - count('loaded') - count('invalid');
  for (const { fate, file, line, rule, from, to } of verdicts) {
    if (fate !== 'survived' && fate !== 'unreached') continue;
    process.stdout.write(`${fate} ${file}:${line} ${rule}: ${short(from)} → ${short(to)}\n`);
  }
  const score = (100 * count('killed')) / all;
  if (score < Number(values.least)) process.exitCode = 1;
  process.stdout.write(
    `${name}: ${all} mutants, ${count('killed')} killed (${score.toFixed(1)} %), ` +
      `${count('survived')} survived, ${count('unreached')} in code that no test reaches\n`,
  );
}

async function runShard(name: string): Promise<readonly Verdict[]> {
  const shard = shards[name];
  if (shard === undefined) throw new Error(`The shards are ${Object.keys(shards).join(', ')}.`);
  const base = join(folder, name.replace('/', '-'));
  const [notes, idsFile, verdictsFile] = [`${base}.notes`, `${base}.ids`, `${base}.json`];
  const { mutants } = await instrument(shard);
  const last = values.again ? survivorsOf(verdictsFile) : undefined;
  const chosen = mutants
    .filter(({ rule }) => values.rule === undefined || rule === values.rule)
    .filter((_, index) => index % Number(values.every) === 0)
    .filter((mutant) => last === undefined || last.has(keyOf(mutant)));
  writeFileSync(idsFile, JSON.stringify(chosen.map(({ id }) => id)));
  rmSync(notes, { force: true });
  for (let starts = 0; starts < mostStarts; starts += 1) {
    if (await isWhole({ name, shard, notes, idsFile })) break;
  }
  if (values.loaded) {
    for (const { id } of verdictsOf(chosen, notes).filter(({ fate }) => fate === 'loaded')) {
      await isWhole({ name, shard, notes, idsFile, always: id });
    }
  }
  const verdicts = verdictsOf(chosen, notes);
  writeFileSync(verdictsFile, `${JSON.stringify(verdicts, undefined, 2)}\n`);
  return verdicts;
}

interface Run {
  readonly name: string;
  readonly shard: Shard;
  readonly notes: string;
  readonly idsFile: string;
  /** The mutant that is active from the start. */
  readonly always?: string;
}

/** One process; false if it ended before its last test. */
async function isWhole({ name, shard, notes, idsFile, always }: Run): Promise<boolean> {
  // A loop without an await also stops Vitest's own timer.
  const silentMs = 2 * (shard.longestMs ?? longestMs);
  // A flush to a disk takes most of the time of a store's test. A killed process leaves its files behind.
  const files = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'cs-'));
  chmodSync(files, 0o711); // PostgreSQL runs as another user
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--config', join(import.meta.dirname, 'vitest.config.ts')],
    ],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        MUTATION_SHARD: name,
        MUTATION_NOTES: notes,
        MUTATION_IDS: idsFile,
        ...(always !== undefined && { MUTATION_LOADED: always }),
        TMPDIR: files,
      },
    },
  );
  const sizeNow = () => (existsSync(notes) ? statSync(notes).size : 0);
  let size = sizeNow();
  // To start takes long on a busy machine.
  let since = performance.now() + startMs;
  const watch = setInterval(() => {
    const now = sizeNow();
    if (now !== size) [size, since] = [now, performance.now()];
    if (performance.now() - since > silentMs && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGKILL');
    }
  }, 1000);
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  rmSync(files, { recursive: true, force: true, maxRetries: 3 });
  const last = readNotes(notes).at(-1);
  if (last === undefined) throw new Error(`The tests of ${name} do not start.`);
  if ('tries' in last && code !== 0)
    addNote(notes, { killed: last.tries, by: `no end of ${last.test}` });
  return code === 0;
}

function verdictsOf(chosen: readonly Mutant[], notes: string): readonly Verdict[] {
  const killed = new Map<string, { readonly by: string; readonly why?: string }>();
  const reached = new Set<string>();
  const loaded = new Set<string>();
  for (const note of readNotes(notes)) {
    if ('killed' in note) killed.set(note.killed, note);
    if ('loaded' in note) for (const id of note.loaded) loaded.add(id);
    if ('tries' in note) reached.add(note.tries);
    if (!('reaches' in note)) continue;
    if (note.fails) process.stdout.write(`fails without a mutant: ${note.test}\n`);
    else for (const id of note.reaches) reached.add(id);
  }
  return chosen.map((mutant) => {
    const end = killed.get(mutant.id);
    if (end !== undefined) {
      const { by, why = '' } = end;
      return { ...mutant, fate: isNoProgram.test(why) ? 'invalid' : 'killed', by, why };
    }
    if (reached.has(mutant.id)) return { ...mutant, fate: 'survived' };
    return { ...mutant, fate: loaded.has(mutant.id) ? 'loaded' : 'unreached' };
  });
}

function survivorsOf(file: string): ReadonlySet<string> {
  // cast: a run writes this file
  const verdicts = JSON.parse(readFileSync(file, 'utf8')) as readonly Verdict[];
  const left = verdicts.filter(({ fate }) => fate === 'survived' || fate === 'unreached');
  return new Set(left.map(keyOf));
}

function keyOf({ file, rule, from, to, line }: Mutant): string {
  return JSON.stringify([file, line, rule, from, to]);
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
