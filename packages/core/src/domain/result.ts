/**
 * The only file that imports the Result library (neverthrow), so that replacing it is one change.
 */
import { type Err, ok, type Result } from 'neverthrow';

export { Err, err, errAsync, Ok, ok, okAsync, Result, ResultAsync, safeTry } from 'neverthrow';

/**
 * Steps that may end early: `yield*` continues with a Result's value, or ends them with its error.
 * They run only by `yield*` in other steps or by {@link resultOf}.
 */
export type Steps<T, E> = AsyncGenerator<Err<never, E>, T, void>;

/** The error type of yielded steps. */
export type ErrorOf<Y> = Y extends Err<never, infer E> ? E : never;

/**
 * Runs steps to their end. It replaces neverthrow's `safeTry`, which invites a new generator
 * function for each call. V8 runs a generator function that is created once several times faster.
 */
export async function resultOf<T, E>(steps: Steps<T, E>): Promise<Result<T, E>> {
  const { done, value } = await steps.next();
  return done ? ok(value) : value;
}
