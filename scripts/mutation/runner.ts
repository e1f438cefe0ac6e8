// Repeats each test with every mutant that it reaches, in one process.
import { readFileSync } from 'node:fs';
import { type RunnerTestCase, type SerializedConfig, TestRunner } from 'vitest';
import { addNote, readNotes } from './notes.ts';

const { MUTATION_NOTES: file = '', MUTATION_IDS: idsFile = '' } = process.env;

/** The instrumented code reads and counts in this object. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string;
  hitCount?: number | undefined;
  hitLimit?: number;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}
// cast: the instrumented code uses this name
const own = globalThis as typeof globalThis & { __stryker__?: Switch };
own.__stryker__ ??= {};
const mutation = own.__stryker__;

/** The mutants that no test has noticed yet. */
const alive = new Set<string>(JSON.parse(readFileSync(idsFile, 'utf8')));
const done = new Set<string>();
const loaded = new Set<string>();
const spoiled = new Map<string, number>();
for (const note of readNotes(file)) {
  if ('killed' in note) alive.delete(note.killed);
  if ('done' in note) done.add(note.done);
  if ('spoiled' in note) spoiled.set(note.spoiled, (spoiled.get(note.spoiled) ?? 0) + 1);
}

/** A run that never ends is ended after so many times as many steps as without a mutant. */
const hitFactor = 200;
const enough = 1_000_000;

interface Trying {
  readonly name: string;
  /** How often the test comes by each of its mutants. */
  readonly hits: Readonly<Record<string, number>>;
  readonly left: string[];
  /** The last one that the test noticed, until the test has passed without it. */
  suspect?: string | undefined;
}

// biome-ignore lint/style/noDefaultExport: Vitest reads a runner from there
export default class MutantRunner extends TestRunner {
  private trying: Trying | undefined;

  constructor(config: SerializedConfig) {
    super(config);
    mutation.currentTestId = 'outside';
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
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
    const isFailed = result.state === 'fail';
    result.attempts = [];
    mutation.currentTestId = 'outside';
    const { activeMutant } = mutation;
    mutation.activeMutant = undefined;
    mutation.hitCount = undefined;
    const isOver = this.isOver(test, isFailed, activeMutant);
    if (isOver) addNote(file, { done: nameOf(test) });
    // Vitest repeats what failed with an error.
    result.state = isOver ? 'pass' : 'fail';
    if (isOver) delete result.errors;
    else result.errors = [{ message: 'the next mutant' }];
  }

  private isOver(test: RunnerTestCase, isFailed: boolean, active: string | undefined): boolean {
    if (this.trying === undefined) {
      const hits = mutation.mutantCoverage?.perTest[test.id] ?? {};
      const name = nameOf(test);
      addNote(file, { test: name, reaches: Object.keys(hits), fails: isFailed });
      if (isFailed) return true;
      const left = Object.keys(hits).filter((id) => alive.has(id));
      // Those that spoiled a run are the first of a new process.
      left.sort((a, b) => (spoiled.get(a) ?? 0) - (spoiled.get(b) ?? 0));
      this.trying = { name, hits, left };
    } else if (active !== undefined && isFailed) {
      this.trying.suspect = active;
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
    if (isFailed && !spoiled.has(suspect)) {
      // Maybe what ran before has left something behind: a new process finds out.
      addNote(file, { spoiled: suspect });
      process.kill(process.pid, 'SIGKILL');
    }
    alive.delete(suspect);
    addNote(file, { killed: suspect, by: name });
    if (isFailed) process.kill(process.pid, 'SIGKILL');
  }

  private activateNext(): boolean {
    const { left, hits, name } = this.trying ?? {};
    const next = left?.pop();
    if (next === undefined || name === undefined) return false;
    addNote(file, { tries: next, test: name });
    mutation.activeMutant = next;
    mutation.hitCount = 0;
    mutation.hitLimit = hitFactor * (hits?.[next] ?? 1) + hitFactor;
    return true;
  }
}

function nameOf(test: RunnerTestCase): string {
  return `${test.file.name} > ${test.fullTestName}`;
}

function tellLoaded(): void {
  const fresh = Object.keys(mutation.mutantCoverage?.static ?? {}).filter((id) => !loaded.has(id));
  for (const id of fresh) loaded.add(id);
  if (fresh.length > 0) addNote(file, { loaded: fresh });
}
