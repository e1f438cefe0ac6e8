import type { ClientOperation, ProblemType } from '@chairside/core';
import type { AnswerOf, InputOf } from './answers.ts';
import type { Operation } from './operation.ts';
import { unanswered } from './problem.ts';
import { err, type Result } from './result.ts';
import { type CallOptions, type ErrorOf, send } from './send.ts';
import type { Settings } from './settings.ts';

type Table = { readonly [N in ClientOperation]?: Operation<unknown, ProblemType> };
type ProblemsOf<T> = T extends Operation<unknown, infer P> ? P : never;

/** The operations of a table. Every call resolves to a Result and never rejects. */
export type Calls<T extends Table> = {
  readonly [N in keyof T & ClientOperation]: (
    ...call: undefined extends InputOf<N>
      ? [input?: undefined, options?: CallOptions]
      : [input: InputOf<N>, options?: CallOptions]
  ) => Promise<Result<AnswerOf<N>, ErrorOf<ProblemsOf<T[N]>>>>;
};

/** @param keyed the operations whose key is optional. A retry needs the same key, so each call has one. */
export function callsOf<T extends Table>(
  settings: Settings,
  table: T,
  keyed?: readonly string[],
): Calls<T> {
  const calls = Object.entries(table).map(([name, operation]) => [
    name,
    async (input?: object, options?: CallOptions) => {
      try {
        return await send(
          settings,
          // cast: a table has the names of operations
          name as ClientOperation,
          operation,
          input,
          options,
          keyed?.includes(name),
        );
      } catch {
        // A function or an option of the app threw. The request may have been sent.
        return err(unanswered('aborted'));
      }
    },
  ]);
  // cast: each operation is sent with its own parser and problems
  return Object.fromEntries(calls) as Calls<T>;
}
