import { err, ok, type Result } from '@chairside/core';
import { isStorable, type StoreUnavailable } from '@chairside/core/ports';
import type { Cell } from '@chairside/core/storage';
import type { Pool } from 'pg';
import { notApplied } from './committer.ts';
import { createGroups } from './groups.ts';
import { jsonLiteral } from './literal.ts';
import { isTransient, withoutValues } from './postgres-error.ts';
import type { Sized } from './queue.ts';
import { createRetry, type Patience } from './retry.ts';
import { inSchema } from './schema.ts';

/** Runs a read, and repeats it if that may help. */
export type Reader = (
  name: string,
  asked: readonly Cell[],
) => Promise<Result<readonly unknown[], StoreUnavailable>>;

interface Asked extends Sized {
  readonly name: string;
  /** The parameters in JSON, behind a comma. */
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
  const lockMs = Math.ceil(patience.deadlineMs / 3);
  const ask = createGroups<Asked, readonly unknown[]>(pool, patience.deadlineMs, {
    limits,
    // PostgreSQL times each statement of a message, and forgets the setting behind its last one.
    messageOf: (reads) =>
      `SET LOCAL statement_timeout = ${patience.deadlineMs}; ${callOf(call, reads, lockMs)}`,
    lastCommand: 'SELECT',
    valuesOf: rowsOf,
  });

  return async (name, asked) => {
    // The server cannot parse such a text, and refuses all reads of the message with it.
    if (!asked.every(isReadable)) return ok([]);
    const text = asked.length === 0 ? '' : `,${JSON.stringify(asked).slice(1, -1)}`;
    const read = { name, text, characters: text.length };
    const again = createRetry(patience);
    for (;;) {
      const answer = await ask(read);
      if (answer.isOk()) return ok(answer.value);
      const { error } = answer.error;
      const cause = withoutValues(error, name);
      report(cause);
      if (!isTransient(error) || !(await again())) return err({ ...notApplied, cause });
    }
  };
}

/** No row has a text that cannot be stored. */
function isReadable(cell: Cell): boolean {
  return typeof cell !== 'string' || isStorable(cell);
}

/** A call of the server's function. The reads of each kind are together, each behind its place. */
function callOf(readFunction: string, reads: readonly Asked[], lockMs: number): string {
  const kinds = new Map<string, string[]>();
  for (const [place, { name, text }] of reads.entries()) {
    const asked = kinds.get(name) ?? [];
    kinds.set(name, asked);
    asked.push(`[${place}${text}]`);
  }
  const lists = [...kinds].map(([name, asked]) => `"${name}":[${asked}]`);
  return `SELECT ${readFunction}('{${[...kinds.keys()]}}', ${jsonLiteral(`{${lists}}`)}, ${lockMs}) AS answers`;
}

/**
 * The rows of each read. The server's function returns the number of reads, and their rows in lists,
 * each row behind the place of its read.
 */
function rowsOf(answers: unknown, count: number): readonly (readonly unknown[])[] | undefined {
  const [done, lists]: readonly unknown[] = Array.isArray(answers) ? answers : [];
  if (done !== count || !Array.isArray(lists)) return undefined;
  const rows = Array.from({ length: count }, (): unknown[] => []);
  for (const found of lists.flat()) {
    if (found === null) continue; // no rows of this kind
    const [place, row]: readonly unknown[] = Array.isArray(found) ? found : [];
    const read = typeof place === 'number' ? rows[place] : undefined;
    if (read === undefined) return undefined;
    read.push(row);
  }
  return rows;
}
