import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';
import type { Mutant } from './mutant.ts';
import { subjects } from './subjects.ts';

const root = join(import.meta.dirname, '../../..');

export type Fate =
  /** A case of the contract failed. */
  | 'killed'
  /** The run did not end in time. */
  | 'timedOut'
  /** The text is no program, or no SQL: it cannot be an adapter. */
  | 'invalid'
  | 'survived';

export interface Verdict {
  readonly fate: Fate;
  /** The first case that failed, with its message. */
  readonly by?: string;
  readonly ms: number;
}

export interface Runner {
  /** @param mutant if omitted, the code as it is. */
  run(mutant?: Mutant): Promise<Verdict>;
  close(): Promise<void>;
}

const isNoProgram =
  /syntax error|SyntaxError|Transform failed|Parse failure|PARSE_ERROR|no such column|no such table|incomplete input|near "|code: '42(?:601|703|P01|883|804|P10|702)'|does not exist|is ambiguous|ReferenceError/;

/**
 * Keeps one Vitest and its transformed modules. Each run has a new process, which ends with the
 * first case that fails.
 */
export async function openRunner(name: string, folder: string): Promise<Runner> {
  const { longestMs } = subjects[name] ?? {};
  if (longestMs === undefined) throw new Error(`No subject is called ${name}.`);
  const mutantFile = join(folder, 'mutant.json');
  const pidFile = join(folder, 'pid');
  Object.assign(process.env, {
    MUTATION_SUBJECT: name,
    MUTANT: mutantFile,
    MUTANT_PID: pidFile,
  });
  const use = (mutant?: Mutant) => writeFileSync(mutantFile, JSON.stringify(mutant ?? {}));
  use();
  const vitest = await createVitest({
    config: join(import.meta.dirname, 'vitest.config.ts'),
    watch: false,
  });
  let current: Mutant | undefined;

  return {
    async run(mutant) {
      use(mutant);
      for (const changed of [current, mutant]) {
        if (changed !== undefined) vitest.invalidateFile(join(root, changed.file));
      }
      current = mutant;
      const begun = performance.now();
      const { fate, by } = await runOnce(vitest, longestMs, pidFile);
      return { fate, ...(by !== undefined && { by }), ms: Math.round(performance.now() - begun) };
    },
    close: () => vitest.close(),
  };
}

async function runOnce(
  vitest: Vitest,
  longestMs: number,
  pidFile: string,
): Promise<Omit<Verdict, 'ms'>> {
  rmSync(pidFile, { force: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  }, longestMs);
  const specifications = await vitest.globTestSpecifications();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  clearTimeout(timer);
  if (isLate) return { fate: 'timedOut' };
  const by = firstFailure(testModules) ?? unhandledErrors.map(messageOf)[0];
  if (by === undefined) return { fate: 'survived' };
  return { fate: isNoProgram.test(by) ? 'invalid' : 'killed', by };
}

function firstFailure(modules: readonly TestModule[]): string | undefined {
  for (const module of modules) {
    for (const test of module.children.allTests('failed')) {
      return `${test.fullName}: ${test.result().errors?.map(messageOf).join('; ')}`;
    }
    for (const suite of module.children.allSuites()) {
      const [error] = suite.errors();
      if (error !== undefined) return `${suite.fullName}: ${messageOf(error)}`;
    }
    const [error] = module.errors();
    if (error !== undefined) return messageOf(error);
  }
  return undefined;
}

/** With its causes, because a store's error says only that it is unavailable. */
function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return `${error}`;
  const { message, name, cause } = { message: '', name: '', cause: undefined, ...error };
  const own = `${name}: ${message}`.slice(0, 600);
  return cause === undefined ? own : `${own} (cause: ${messageOf(cause)})`;
}
