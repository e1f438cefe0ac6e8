import type { ProblemType } from '@chairside/core';
import type { AnswerOf } from './answers.ts';
import type { InputOf, OperationName } from './inputs.ts';
import type { Operation } from './operation.ts';
import { operations, optionallyKeyed } from './operations.ts';
import type { Result } from './result.ts';
import { type CallOptions, type ErrorOf, send } from './send.ts';
import { type ClientOptions, type Settings, toSettings } from './settings.ts';

/** The operations. Every call resolves to a Result and never rejects. */
type Operations = {
  readonly [N in OperationName]: (
    ...call: undefined extends InputOf<N>
      ? [input?: undefined, options?: CallOptions]
      : [input: InputOf<N>, options?: CallOptions]
  ) => Promise<Result<AnswerOf<N>, ErrorOf<(typeof operations)[N]['problems'][number]>>>;
};

/** The operations, with the makers of keys and time. */
export type Client = Operations & Pick<Settings, 'newKey' | 'time'>;

/** Throws a TypeError for invalid options. */
export function createClient(options: ClientOptions): Client {
  const settings = toSettings(options);
  const { newKey, time } = settings;
  const calls = Object.entries<Operation<unknown, ProblemType>>(operations).map(
    ([name, operation]) => {
      // A retry needs the same key, so each call has one.
      const isKeyed = optionallyKeyed.includes(name);
      return [
        name,
        (input?: object, options?: CallOptions) =>
          send(settings, operation, {
            // cast: `operations` has the names of the operations
            name: name as OperationName,
            input: isKeyed ? { idempotencyKey: newKey(), ...input } : input,
            options: options ?? {},
          }),
      ];
    },
  );
  // cast: each operation is sent with its own parser and problems
  return { ...(Object.fromEntries(calls) as unknown as Operations), newKey, time };
}
