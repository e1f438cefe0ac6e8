// Repeats each test with every mutant that it reaches, in one process.
import { readFileSync } from 'node:fs';
import { type RunnerTestCase, type SerializedConfig, TestRunner } from 'vitest';
import { switchName } from './contract/place.ts';
import { addNote, readNotes } from './notes.ts';

const { MUTATION_NOTES: file = '', MUTATION_IDS: idsFile = '' } = process.env;
/** The mutant of a process that has it from its start, because it only runs while a file is loaded. */
const { MUTATION_LOADED: always } = process.env;

/** A run that never ends is ended after so many times as many steps as without a mutant. */
const hitFactor = 200;
const enough = 1_000_000;
const next = 'the next mutant';

/** The instrumented code reads and counts in this object. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string;
  hitCount?: number | undefined;
  hitLimit?: number;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}
interface Globals {
  __stryker__?: Switch;
  [switchName]?: (id: string) => boolean;
}
// cast: the instrumented code uses this name
const own = globalThis as typeof globalThis & Globals;
own.__stryker__ ??= {};
const mutation = own.__stryker__;

/** The switch of the faults of ports, which counts as Stryker's does. */
own[switchName] = (id) => {
  mutation.mutantCoverage ??= { static: {}, perTest: {} };
  const { perTest } = mutation.mutantCoverage;
  const { currentTestId: test = '' } = mutation;
  perTest[test] ??= {};
  perTest[test][id] = (perTest[test][id] ?? 0) + 1;
  if (mutation.activeMutant !== id) return false;
  mutation.hitCount = (mutation.hitCount ?? 0) + 1;
  if (mutation.hitCount > (mutation.hitLimit ?? enough)) throw new Error('The mutant never ends.');
  return true;
};

/** The mutants that no test has noticed yet. */
const alive = new Set<string>(JSON.parse(readFileSync(idsFile, 'utf8')));
const done = new Set<string>();
const loaded = new Set<string>();
const spoiled = new Map<string, number>();
/** The mutants that an earlier process has tried with each test. */
const tried = new Map<string, Set<string>>();
for (const note of readNotes(file)) {
  if ('killed' in note) alive.delete(note.killed);
  if ('tries' in note) tried.set(note.test, (tried.get(note.test) ?? new Set()).add(note.tries));
  if ('done' in note) done.add(note.done);
  if ('spoiled' in note) spoiled.set(note.spoiled, (spoiled.get(note.spoiled) ?? 0) + 1);
}

interface Trying {
  readonly name: string;
  /** How often the test comes by each of its mutants. */
  readonly hits: Readonly<Record<string, number>>;
  readonly left: string[];
  /** The last one that the test noticed, until the test has passed without it. */
  suspect?: { readonly id: string; readonly why: string } | undefined;
}

// biome-ignore lint/style/noDefaultExport: Vitest reads a runner from there
export default class MutantRunner extends TestRunner {
  private trying: Trying | undefined;
  /** This process has tried a mutant. */
  private hasTried = false;

  constructor(config: SerializedConfig) {
    super(config);
    mutation.currentTestId = 'outside';
    mutation.activeMutant = always;
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (always !== undefined) return addNote(file, { tries: always, test: nameOf(test) });
    this.trying = undefined;
    if (done.has(nameOf(test)) || test.fails === true) test.mode = 'skip';
    test.retry = enough;
  }

  override onBeforeTryTask(
    test: RunnerTestCase,
    options: { readonly retry: number; readonly repeats: number },
  ): void {
    super.onBeforeTryTask(test, options);
    if (this.trying === undefined) {
      tellLoaded();
      mutation.currentTestId = test.id;
    }
  }

  /** Decides what the next repetition of the test is about. */
  override async onAfterRetryTask(
    test: RunnerTestCase,
    options: { readonly retry: number; readonly repeats: number },
  ): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const { result } = test;
    if (result === undefined || result.state === 'skip') return;
    if (always !== undefined) return endIfFailed(test, always);
    const errors = result.errors?.filter(({ message }) => message !== next);
    const why = result.state === 'fail' ? reasonOf(errors ?? []) : undefined;
    result.attempts = [];
    mutation.currentTestId = 'outside';
    const { activeMutant } = mutation;
    mutation.activeMutant = undefined;
    mutation.hitCount = undefined;
    const isOver = this.isOver(test, why, activeMutant);
    if (isOver) addNote(file, { done: nameOf(test) });
    // Vitest repeats what failed with an error.
    result.state = isOver ? 'pass' : 'fail';
    if (isOver) delete result.errors;
    else result.errors = [{ message: next }];
  }

  /** @param why the test failed; `undefined` if it passed. */
  private isOver(
    test: RunnerTestCase,
    why: string | undefined,
    active: string | undefined,
  ): boolean {
    const isFailed = why !== undefined;
    if (this.trying === undefined) {
      const hits = mutation.mutantCoverage?.perTest[test.id] ?? {};
      const name = nameOf(test);
      if (isFailed && this.hasTried && !spoiled.has(name)) endSpoiled(name);
      addNote(file, { test: name, reaches: Object.keys(hits), fails: isFailed });
      if (isFailed) return true;
      const isTried = (id: string) => tried.get(name)?.has(id) === true && !spoiled.has(id);
      const left = Object.keys(hits).filter((id) => alive.has(id) && !isTried(id));
      // Those that spoiled a run are the first of a new process.
      left.sort((a, b) => (spoiled.get(a) ?? 0) - (spoiled.get(b) ?? 0));
      this.trying = { name, hits, left };
    } else if (active !== undefined && isFailed) {
      this.trying.suspect = { id: active, why };
      return false;
    } else if (active === undefined) {
      this.judgeSuspect(isFailed);
    }
    return !this.activateNext();
  }

  /** The test ran without a mutant, after the suspect had made it fail. */
  private judgeSuspect(isFailed: boolean): void {
    const { suspect, name } = this.trying ?? {};
    if (suspect === undefined || name === undefined || this.trying === undefined) return;
    this.trying.suspect = undefined;
    const { id, why } = suspect;
    if (isFailed && !spoiled.has(id)) endSpoiled(id);
    alive.delete(id);
    addNote(file, { killed: id, by: name, why });
    if (isFailed) process.kill(process.pid, 'SIGKILL');
  }

  private activateNext(): boolean {
    const { left, hits, name } = this.trying ?? {};
    const id = left?.pop();
    if (id === undefined || name === undefined) return false;
    addNote(file, { tries: id, test: name });
    this.hasTried = true;
    mutation.activeMutant = id;
    mutation.hitCount = 0;
    mutation.hitLimit = hitFactor * (hits?.[id] ?? 1) + hitFactor;
    return true;
  }
}

/** Maybe an earlier mutant has left something behind, as open connections: a new process finds out. */
function endSpoiled(what: string): void {
  addNote(file, { spoiled: what });
  process.kill(process.pid, 'SIGKILL');
}

function endIfFailed(test: RunnerTestCase, id: string): void {
  if (test.result?.state !== 'fail') return;
  addNote(file, { killed: id, by: nameOf(test), why: reasonOf(test.result.errors ?? []) });
  process.kill(process.pid, 'SIGKILL');
}

function nameOf(test: RunnerTestCase): string {
  return `${test.file.name} > ${test.fullTestName}`;
}

/** The causes count too, because a store's error says only that it is unavailable. */
function reasonOf(errors: readonly unknown[]): string {
  const texts = errors.map((error) => {
    const { name, message, cause } = { name: '', message: '', cause: undefined, ...Object(error) };
    return `${name}: ${message}${cause === undefined ? '' : ` (${reasonOf([cause])})`}`;
  });
  return texts.join('; ').slice(0, 600);
}

function tellLoaded(): void {
  const { static: atLoad = {}, perTest = {} } = mutation.mutantCoverage ?? {};
  const ids = Object.keys({ ...atLoad, ...perTest['outside'] });
  const fresh = ids.filter((id) => !loaded.has(id));
  for (const id of fresh) loaded.add(id);
  if (fresh.length > 0) addNote(file, { loaded: fresh });
}
