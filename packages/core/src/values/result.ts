import {
  type Err,
  Result as TheirResult,
  ResultAsync as TheirResultAsync,
  err as theirErr,
  ok as theirOk,
} from 'neverthrow';

/**
 * The only file that imports the Result library (neverthrow), so that replacing it is one change.
 */

export { Err, Ok, safeTry } from 'neverthrow';

/** A success with its value, or a failure with its error. */
export type Result<T, E> = TheirResult<T, E>;
export const Result: typeof TheirResult = TheirResult;

/** A success. */
export const ok: typeof theirOk = theirOk;

/** A failure. */
export const err: typeof theirErr = theirErr;

/**
 * neverthrow's class, with cheaper methods. Its own `map`, `mapErr` and `orElse` make a generator
 * function for each call. V8 frees a part of each only in a full garbage collection.
 */
class LeanResultAsync<T, E> extends TheirResultAsync<T, E> {
  readonly #result: Promise<Result<T, E>>;

  constructor(result: Promise<Result<T, E>>) {
    super(result);
    this.#result = result;
  }

  override map<A>(f: (value: T) => A | Promise<A>): ResultAsync<A, E> {
    return this.andThen((value): Next<A, never> => {
      const mapped = f(value);
      return mapped instanceof Promise ? mapped.then((later) => ok(later)) : ok(mapped);
    });
  }

  override mapErr<F>(f: (error: E) => F | Promise<F>): ResultAsync<T, F> {
    return this.orElse((error): Next<never, F> => {
      const mapped = f(error);
      return mapped instanceof Promise ? mapped.then((later) => err(later)) : err(mapped);
    });
  }

  override andThen<U, F>(f: (value: T) => Next<U, F>): ResultAsync<U, E | F> {
    return new LeanResultAsync(
      this.#result.then(
        (result): Next<U, E | F> => (result.isErr() ? err(result.error) : f(result.value)),
      ),
    );
  }

  override orElse<U, F>(f: (error: E) => Next<U, F>): ResultAsync<T | U, F> {
    return new LeanResultAsync(
      this.#result.then(
        (result): Next<T | U, F> => (result.isOk() ? ok(result.value) : f(result.error)),
      ),
    );
  }
}

type Next<T, E> = Result<T, E> | PromiseLike<Result<T, E>>;

/** A `Result` that is still to come. */
export type ResultAsync<T, E> = TheirResultAsync<T, E>;
export const ResultAsync: typeof TheirResultAsync = LeanResultAsync;

/** A success that needs no waiting. */
export function okAsync<E = never>(): ResultAsync<void, E>;
export function okAsync<T, E = never>(value: T): ResultAsync<T, E>;
export function okAsync<T>(value?: T): ResultAsync<T | undefined, never> {
  return new LeanResultAsync(Promise.resolve(ok(value)));
}

/** A failure that needs no waiting. */
export function errAsync<T = never, E = unknown>(error: E): ResultAsync<T, E> {
  return new LeanResultAsync<T, E>(Promise.resolve(err(error)));
}

/**
 * Steps that may end early: `yield*` continues with a Result's value, or ends them with its error.
 * They run only by `yield*` in other steps or by {@link resultOf}.
 */
export type Steps<T, E> = AsyncGenerator<Err<never, E>, T, void>;

/**
 * Runs steps to their end. It replaces neverthrow's `safeTry`, which invites a new generator
 * function for each call. V8 runs a generator function that is created once several times faster.
 */
export async function resultOf<T, E>(steps: Steps<T, E>): Promise<Result<T, E>> {
  const { done, value } = await steps.next();
  return done ? ok(value) : value;
}
