import type { Result, ResultAsync } from '@chairside/core/result';

// The core's Results without their library, which was a quarter of this package (D126). Their types
// are the core's; a test compares each method with the library's. Fields are declared only, because
// bundlers add a helper for those that are defined.

type Call = (value: unknown) => unknown;
type Either = Result<unknown, unknown>;

abstract class Settled {
  abstract match(onOk: Call, onErr: Call): unknown;

  isOk(): boolean {
    return 'value' in this;
  }
  isErr(): boolean {
    return !this.isOk();
  }
  map(f: Call) {
    return this.match((value) => ok(f(value)), itself(this));
  }
  mapErr(f: Call) {
    return this.match(itself(this), (error) => err(f(error)));
  }
  andThen(f: Call) {
    return this.match(f, itself(this));
  }
  orElse(f: Call) {
    return this.match(itself(this), f);
  }
  andThrough(f: (value: unknown) => Either) {
    return this.andThen((value) => f(value).map(() => value));
  }
  andTee(f: Call) {
    return this.match(tee(f, this), itself(this));
  }
  orTee(f: Call) {
    return this.match(itself(this), tee(f, this));
  }
  asyncMap(f: Call) {
    return later(this).map(f);
  }
  asyncAndThen(f: Call) {
    return later(this).andThen(f);
  }
  asyncAndThrough(f: Call) {
    return later(this).andThrough(f);
  }
  unwrapOr(otherwise: unknown) {
    return this.match(content, () => otherwise);
  }
  _unsafeUnwrap() {
    return this.match(content, thrown);
  }
  _unsafeUnwrapErr() {
    return this.match(thrown, content);
  }
  *[Symbol.iterator](): Generator<unknown, unknown> {
    return this.isOk() ? this.unwrapOr(undefined) : yield this;
  }
  safeUnwrap() {
    return this[Symbol.iterator]();
  }
}

class Success extends Settled {
  declare readonly value: unknown;
  constructor(value: unknown) {
    super();
    this.value = value;
  }
  match(onOk: Call) {
    return onOk(this.value);
  }
}

class Failure extends Settled {
  declare readonly error: unknown;
  constructor(error: unknown) {
    super();
    this.error = error;
  }
  match(_: Call, onErr: Call) {
    return onErr(this.error);
  }
}

class Later implements PromiseLike<Settled> {
  declare private readonly promise: Promise<Settled>;
  constructor(promise: Promise<Settled>) {
    this.promise = promise;
  }
  // biome-ignore lint/suspicious/noThenProperty: it can be awaited
  then<A = Settled, B = never>(
    onDone?: ((settled: Settled) => A | PromiseLike<A>) | null,
    onThrow?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.promise.then(onDone, onThrow);
  }

  map(f: Call) {
    return this.next(async (value) => ok(await f(value)));
  }
  mapErr(f: Call) {
    return this.next(undefined, async (error) => err(await f(error)));
  }
  andThen(f: Call) {
    return this.next(f);
  }
  orElse(f: Call) {
    return this.next(undefined, f);
  }
  andThrough(f: Call) {
    // cast: the type of `andThrough` says so
    return this.next(async (value) => ((await f(value)) as Either).map(() => value));
  }
  andTee(f: Call) {
    return this.through((settled) => settled.match(laterTee(f, settled), itself(settled)));
  }
  orTee(f: Call) {
    return this.through((settled) => settled.match(itself(settled), laterTee(f, settled)));
  }
  match(onOk: Call, onErr: Call) {
    return this.promise.then((settled) => settled.match(onOk, onErr));
  }
  unwrapOr(otherwise: unknown) {
    return this.promise.then((settled) => settled.unwrapOr(otherwise));
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, unknown> {
    return yield* await this.promise;
  }
  safeUnwrap() {
    return this[Symbol.asyncIterator]();
  }

  private next(onOk?: Call, onErr?: Call) {
    return this.through((settled) =>
      settled.match(onOk ?? itself(settled), onErr ?? itself(settled)),
    );
  }
  private through(f: (settled: Settled) => unknown) {
    // cast: each of these returns a Result, or a promise of one
    return new Later(this.promise.then(f as (settled: Settled) => Settled));
  }
}

const content: Call = (value) => value;
const thrown = (): never => {
  throw new Error('the Result is of the other kind');
};
const itself = (settled: unknown) => () => settled;

/** Calls `f` without using its result. Its errors are ignored. */
const tee = (f: Call, settled: Settled) => (value: unknown) => {
  try {
    f(value);
  } catch {}
  return settled;
};
const laterTee = (f: Call, settled: Settled) => async (value: unknown) => {
  try {
    await f(value);
  } catch {}
  return settled;
};

const later = (settled: Settled) => new Later(Promise.resolve(settled));

export function ok<T, E = never>(value: T): Result<T, E> {
  // cast: it has all members of the core's
  return new Success(value) as unknown as Result<T, E>;
}

export function err<T = never, E = unknown>(error: E): Result<T, E> {
  // cast: as above
  return new Failure(error) as unknown as Result<T, E>;
}

/** A promise of a Result, as the core's operations return it. */
export function resultAsync<T, E>(promise: Promise<Result<T, E>>): ResultAsync<T, E> {
  // cast: its Results are created here, and it has all members of the core's
  return new Later(promise as unknown as Promise<Settled>) as unknown as ResultAsync<T, E>;
}
