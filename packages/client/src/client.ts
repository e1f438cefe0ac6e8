import type { ClientOperation, ProblemType } from '@chairside/core';
import type { AnswerOf, InputOf } from './answers.ts';
import type { Operation } from './operation.ts';
import { operations, optionallyKeyed } from './operations.ts';
import { unanswered } from './problem.ts';
import { err, type Result } from './result.ts';
import { type CallOptions, type ErrorOf, send } from './send.ts';
import { type ClientOptions, type Settings, toSettings } from './settings.ts';

export type OperationName = keyof typeof operations;

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

/** The operations, with the makers of keys and time. `T`: further tables, such as `typeof refundOperations`. */
export type Client<T extends Table = Record<never, never>> = Calls<typeof operations & T> &
  Pick<Settings, 'newKey' | 'time'>;

/**
 * Throws a TypeError for invalid options.
 * @param more operations that a service may switch on, such as `{ ...refundOperations, ...tenderOperations }`. They
 * have entry points of their own, so that an app without them does not carry them.
 */
export function createClient<T extends Table = Record<never, never>>(
  options: ClientOptions,
  more?: T,
): Client<NoInfer<T>> {
  const settings = toSettings(options);
  const { newKey, time } = settings;
  const calls = Object.entries({ ...operations, ...more }).map(([key, operation]) => {
    const name = key as ClientOperation; // cast: a table has the names of operations
    // A retry needs the same key, so each call has one.
    const isKeyed = optionallyKeyed.includes(name);
    return [
      name,
      async (input?: object, call?: CallOptions) => {
        try {
          return await send(settings, name, operation, input, call, isKeyed);
        } catch {
          // A function or an option of the app threw. The request may have been sent.
          return err(unanswered('aborted'));
        }
      },
    ];
  });
  // cast: each operation is sent with its own parser and problems
  return { ...Object.fromEntries(calls), newKey, time } as Client<T>;
}
