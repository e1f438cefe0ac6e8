import type { ProblemType } from '@chairside/core';
import type { Operation } from './operation.ts';
import {
  type AnswerOf,
  type Inputs,
  type OperationName,
  operations,
  type ProblemsOf,
} from './operations.ts';
import type { Result } from './result.ts';
import { type CallOptions, type ErrorOf, send } from './send.ts';
import { type ClientOptions, type Settings, toSettings } from './settings.ts';

/** The fourteen operations. Every call resolves to a Result and never rejects. */
type Operations = {
  readonly [N in OperationName]: (
    ...call: undefined extends Inputs[N]
      ? [input?: undefined, options?: CallOptions]
      : [input: Inputs[N], options?: CallOptions]
  ) => Promise<Result<AnswerOf<N>, ErrorOf<ProblemsOf<N>>>>;
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
      const isKeyed = name === 'preparePaymentMethod';
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
