/**
 * The one place that knows which Result library Chairside uses (neverthrow); everything else
 * imports it from here, so that replacing it is one change.
 */
import { type Err, ok, type Result } from 'neverthrow';

export { Err, err, errAsync, Ok, ok, okAsync, Result, ResultAsync, safeTry } from 'neverthrow';

/**
 * Steps that may end early: `yield*` goes on with a Result's value, or ends them in its error. They
 * do nothing until they are run: by `yield*` in other steps, or by {@link resultOf}.
 */
export type Steps<T, E> = AsyncGenerator<Err<never, E>, T, void>;

/** The error of what steps yield. */
export type ErrorOf<Y> = Y extends Err<never, infer E> ? E : never;

/**
 * Runs steps to their end. In place of neverthrow's `safeTry`, which takes a function and so invites
 * one made for each call: V8 runs a generator function that is made once several times faster.
 */
export async function resultOf<T, E>(steps: Steps<T, E>): Promise<Result<T, E>> {
  const { done, value } = await steps.next();
  return done ? ok(value) : value;
}
