import { err, ok, type Result, type StoreUnavailable } from '@chairside/core';
import type { Cell } from '@chairside/core/storage';
import type { Pool } from 'pg';
import { notApplied } from './committer.ts';
import type { ReadName } from './functions/read.ts';
import { createGroups } from './groups.ts';
import { jsonLiteral } from './literal.ts';
import { isTransient, withoutValues } from './postgres-error.ts';
import type { Sized } from './queue.ts';
import { createRetry, type Patience } from './retry.ts';
import { inSchema } from './schema.ts';

/** Runs a read, and repeats it if that may help. */
export type Reader = (
  name: ReadName,
  asked: readonly Cell[],
) => Promise<Result<readonly unknown[], StoreUnavailable>>;

interface Asked extends Sized {
  readonly text: string;
}

const limits = { maxGroups: 3, maxJobs: 100, maxCharacters: 1_000_000 };

export function createReader(
  pool: Pool,
  schema: string,
  patience: Patience,
  report: (error: unknown) => void,
): Reader {
  const call = inSchema('@read_v1', schema);
  const ask = createGroups<Asked, readonly unknown[]>(pool, patience.deadlineMs, {
    limits,
    messageOf: (reads) =>
      `SELECT ${call}(${jsonLiteral(`[${reads.map(({ text }) => text)}]`)}) AS answers`,
    lastCommand: 'SELECT',
    valuesOf: rowsOf,
  });

  return async (name, asked) => {
    const text = JSON.stringify([name, ...asked]);
    const read = { text, characters: text.length };
    const again = createRetry(patience);
    for (;;) {
      const answer = await ask(read);
      if (answer.isOk()) return ok(answer.value);
      const { error } = answer.error;
      report(withoutValues(error, name));
      if (!isTransient(error) || !(await again())) return err(notApplied);
    }
  };
}

/** The rows of each read. The server's function returns a list, with null for a read without rows. */
function rowsOf(answers: unknown, count: number): readonly (readonly unknown[])[] | undefined {
  if (!Array.isArray(answers) || answers.length !== count) return undefined;
  const rows = answers.map((found: unknown) => found ?? []);
  return rows.every((found) => Array.isArray(found)) ? rows : undefined;
}
