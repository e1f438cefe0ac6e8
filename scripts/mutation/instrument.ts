import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { editsOf } from './contract/code-mutators.ts';
import { placeEdits } from './contract/place.ts';
import type { Shard } from './shards.ts';

export const root = join(import.meta.dirname, '../..');

/** One change of the code, which is dormant until its id is the active one. */
export interface Mutant {
  readonly id: string;
  /** Below the root. */
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

/** The files of a shard with all of their mutants inside. */
export interface Instrumented {
  /** By absolute path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly mutants: readonly Mutant[];
}

const quiet = () => undefined;
const logger = {
  ...{ trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet },
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false },
};

/** The same files give the same ids. */
export async function instrument({ mutate, contract }: Shard): Promise<Instrumented> {
  const exclude = mutate.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const files = globSync(
    mutate.filter((glob) => !glob.startsWith('!')),
    { cwd: root, exclude },
  ).toSorted();
  const originals = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  return contract === undefined ? withStryker(originals) : withFaultsOfPorts(originals);
}

type Originals = ReadonlyMap<string, string>;

async function withStryker(originals: Originals): Promise<Instrumented> {
  const { files, mutants } = await new Instrumenter(logger).instrument(
    [...originals].map(([name, content]) => ({ name, content, mutate: true })),
    // Strings are mostly words for people.
    { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [] },
  );
  return {
    texts: new Map(files.map(({ name, content }) => [join(root, name), content])),
    mutants: mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => ({
        id,
        file: fileName,
        line: start.line + 1,
        rule: mutatorName,
        from: between(originals.get(fileName) ?? '', start, end),
        to: replacement ?? '',
      })),
  };
}

function withFaultsOfPorts(originals: Originals): Instrumented {
  const texts = new Map<string, string>();
  const mutants: Mutant[] = [];
  for (const [file, original] of originals) {
    const { text, placed } = placeEdits(
      original,
      editsOf(original),
      (index) => `${texts.size}.${index}`,
    );
    texts.set(join(root, file), text);
    for (const { id, edit } of placed) {
      const { start, end, to, rule } = edit;
      const line = original.slice(0, start).split('\n').length;
      mutants.push({ id, file, line, rule, from: original.slice(start, end), to });
    }
  }
  return { texts, mutants };
}

interface Position {
  /** From 0. */
  readonly line: number;
  readonly column: number;
}

function between(text: string, start: Position, end: Position): string {
  const lines = text.split('\n');
  const at = ({ line, column }: Position) =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + column;
  return text.slice(at(start), at(end));
}
