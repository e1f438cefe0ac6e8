// Keeps the findings of a run, one JSON object in each line, so that a killed run can go on.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export type Note =
  /** Mutants in code that runs outside any test, as while a file is loaded. */
  | { readonly loaded: readonly string[] }
  /** The mutants that a test reaches; it fails without any. */
  | { readonly test: string; readonly reaches: readonly string[]; readonly fails: boolean }
  /** A test begins with an active mutant. */
  | { readonly tries: string; readonly test: string }
  /** A test failed with a mutant, or did not end. */
  | { readonly killed: string; readonly by: string; readonly why?: string }
  /** After this mutant a test failed without one, or this test failed after mutants of others. */
  | { readonly spoiled: string }
  /** A test has tried all of its mutants. */
  | { readonly done: string };

export function addNote(file: string, note: Note): void {
  appendFileSync(file, `${JSON.stringify(note)}\n`);
}

export function readNotes(file: string): readonly Note[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  // cast: addNote alone writes this file
  return lines.map((line) => JSON.parse(line) as Note);
}
