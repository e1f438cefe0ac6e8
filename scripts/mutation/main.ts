// Breaks the code one rule at a time (Stryker), and runs the tests against each.
// `pnpm mutation [--shard core/dues]… [--sample 45]`
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shards } from './shards.ts';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: { shard: { type: 'string', multiple: true }, sample: { type: 'string' } },
});

/** Three lines of each file, at this distance. */
function sampleOf(globs: readonly string[], every: number): readonly string[] {
  const left = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const files = globSync([...globs], { cwd: root, exclude: left });
  return files.toSorted().flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
    const starts = Array.from({ length: Math.ceil(lines / every) }, (_, at) => 20 + at * every);
    return starts
      .filter((start) => start + 2 <= lines)
      .map((start) => `${file}:${start}-${start + 2}`);
  });
}

for (const name of values.shard ?? Object.keys(shards)) {
  const shard = shards[name];
  if (shard === undefined) throw new Error(`The shards are ${Object.keys(shards).join(', ')}.`);
  const file = `coverage/mutation/${name.replace('/', '-')}`;
  const config = {
    plugins: ['@stryker-mutator/vitest-runner'],
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation/vitest.config.ts' },
    mutate: values.sample ? sampleOf(shard.mutate, Number(values.sample)) : shard.mutate,
    // Strings are mostly words for people. Constants of a file have no coverage (`ignoreStatic`).
    mutator: { excludedMutations: ['StringLiteral'] },
    ignoreStatic: true,
    ignorePatterns: ['/coverage', 'dist', '.data', '*.tgz'],
    concurrency: 1,
    // Only a test that hangs takes so long, also on a busy machine.
    timeoutMS: 60_000,
    tempDirName: `${file}-copy`,
    reporters: ['clear-text', 'json', 'progress-append-only'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `${file}.json` },
    allowConsoleColors: false,
  };
  mkdirSync(join(root, 'coverage/mutation'), { recursive: true });
  writeFileSync(join(root, `${file}.config.json`), JSON.stringify(config));
  const { status } = spawnSync('stryker', ['run', `${file}.config.json`], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_SHARD: name },
  });
  if (status !== 0) process.exitCode = 1;
}
