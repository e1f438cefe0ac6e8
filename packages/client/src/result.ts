// Results with the methods that an app needs. They have the names and effects of the core's, so that code
// for these works with both; a test compares each method (D104).

interface Methods<T, E> {
  isOk(): this is Ok<T, E>;
  isErr(): this is Err<T, E>;
  match<A, B = A>(onOk: (value: T) => A, onErr: (error: E) => B): A | B;
  map<A>(change: (value: T) => A): Result<A, E>;
  mapErr<F>(change: (error: E) => F): Result<T, F>;
  andThen<A, F>(next: (value: T) => Result<A, F>): Result<A, E | F>;
  unwrapOr<A>(otherwise: A): T | A;
}

/** A success. */
export interface Ok<T, E> extends Methods<T, E> {
  readonly value: T;
}

/** An error, as a value. */
export interface Err<T, E> extends Methods<T, E> {
  readonly error: E;
}

export type Result<T, E> = Ok<T, E> | Err<T, E>;

/** @param fold calls the first function for a success, else the second */
function result<T, E>(
  content: { readonly value: T } | { readonly error: E },
  fold: <A, B>(onOk: (value: T) => A, onErr: (error: E) => B) => A | B,
): Result<T, E> {
  const isOk = 'value' in content;
  const methods = {
    isOk: () => isOk,
    isErr: () => !isOk,
    match: fold,
    map: <A>(change: (value: T) => A) => fold((value) => ok<A, E>(change(value)), err<A, E>),
    mapErr: <F>(change: (error: E) => F) => fold(ok<T, F>, (error) => err<T, F>(change(error))),
    andThen: <A, F>(next: (value: T) => Result<A, F>) => fold(next, err<A, E>),
    unwrapOr: <A>(otherwise: A) =>
      fold(
        (value) => value,
        () => otherwise,
      ),
  };
  // cast: `isOk` and `isErr` tell which member it has
  return { ...content, ...methods } as Result<T, E>;
}

export function ok<T, E = never>(value: T): Result<T, E> {
  return result<T, E>({ value }, (onOk) => onOk(value));
}

export function err<T = never, E = unknown>(error: E): Result<T, E> {
  return result<T, E>({ error }, (_, onErr) => onErr(error));
}
