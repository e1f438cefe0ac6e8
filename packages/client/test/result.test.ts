import * as core from '@chairside/core/result';
import { expect, it } from 'vitest';
import * as own from '../src/result.ts';

// The client's Results must behave exactly like the core's (D126): each method is called on both.

const good = (result: core.Result<number, string>) => result;
const methods = {
  isOk: (r) => r.isOk(),
  isErr: (r) => r.isErr(),
  map: (r) => r.map((n) => n + 1),
  mapErr: (r) => r.mapErr((e) => `${e}!`),
  andThen: (r, { ok, err }) => [r.andThen((n) => ok(n + 1)), r.andThen(() => err('no'))],
  orElse: (r, { ok, err }) => [r.orElse((e) => err(`${e}!`)), r.orElse(() => ok(7))],
  andThrough: (r, { ok, err }) => [r.andThrough(() => ok('x')), r.andThrough(() => err('no'))],
  andTee: (r) => r.andTee(fail),
  orTee: (r) => r.orTee(fail),
  asyncMap: (r) => r.asyncMap(async (n) => n + 1),
  asyncAndThen: (r, { later }) => r.asyncAndThen((n) => later(n + 1)),
  asyncAndThrough: (r, { later }) => r.asyncAndThrough(() => later(1)),
  unwrapOr: (r) => r.unwrapOr(7),
  match: (r) => r.match(String, (e) => `${e}!`),
  safeUnwrap: (r, { ok }) =>
    core.safeTry(function* () {
      return ok((yield* r.safeUnwrap()) + 1);
    }),
  _unsafeUnwrap: (r) => attempt(() => r._unsafeUnwrap()),
  _unsafeUnwrapErr: (r) => attempt(() => r._unsafeUnwrapErr()),
  [Symbol.iterator]: (r, { ok }) =>
    core.safeTry(function* () {
      return ok((yield* r) + 1);
    }),
} as const satisfies Methods<core.Result<number, string>, core.Ok<number, string>>;

const asyncMethods = {
  // biome-ignore lint/suspicious/noThenProperty: it is a method like the others
  then: (r) => r.then((settled) => settled),
  map: (r) => r.map(async (n) => n + 1),
  mapErr: (r) => r.mapErr(async (e) => `${e}!`),
  andThen: (r, { ok, later }) => [r.andThen((n) => ok(n + 1)), r.andThen((n) => later(n + 1))],
  orElse: (r, { err, later }) => [r.orElse((e) => err(`${e}!`)), r.orElse(() => later(7))],
  andThrough: (r, { ok, err }) => [r.andThrough(() => ok('x')), r.andThrough(() => err('no'))],
  andTee: (r) => r.andTee(async () => fail()),
  orTee: (r) => r.orTee(async () => fail()),
  match: (r) => r.match(String, (e) => `${e}!`),
  unwrapOr: (r) => r.unwrapOr(7),
  safeUnwrap: (r, { ok }) =>
    core.safeTry(async function* () {
      return ok((yield* r.safeUnwrap()) + 1);
    }),
  [Symbol.asyncIterator]: (r, { ok }) =>
    core.safeTry(async function* () {
      return ok((yield* r) + 1);
    }),
} as const satisfies Methods<core.ResultAsync<number, string>, core.ResultAsync<number, string>>;

interface Makers {
  readonly ok: <T>(value: T) => core.Result<T, string>;
  readonly err: (error: string) => core.Result<never, string>;
  readonly later: (value: number) => core.ResultAsync<number, string>;
}
/** Every method of the class. The compiler rejects a missing one when the library adds it. */
type Methods<R, Class> = {
  readonly [M in keyof Class as Class[M] extends (...args: never[]) => unknown ? M : never]: (
    result: R,
    makers: Makers,
  ) => unknown;
};

const makersOf = {
  core: {
    ok: core.ok,
    err: (error) => core.err(error),
    later: (value: number) => core.okAsync(value),
  },
  own: {
    ok: own.ok,
    err: own.err,
    later: (value: number) => own.resultAsync(Promise.resolve(own.ok(value))),
  },
} as const satisfies Record<string, Makers>;

function fail(): never {
  throw new Error('must be ignored');
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return 'thrown';
  }
}

/** A Result of either library as data. */
async function plain(value: unknown): Promise<unknown> {
  const settled = await value;
  if (Array.isArray(settled)) return Promise.all(settled.map(plain));
  if (typeof settled !== 'object' || settled === null) return settled;
  return 'value' in settled ? { ok: settled.value } : { err: Reflect.get(settled, 'error') };
}

it.each(Object.entries(methods))('has %s with the same effect as the core', async (_, method) => {
  for (const make of [() => core.ok(1), () => core.err('e')]) {
    const expected = good(make());
    const mine = expected.isOk() ? own.ok(expected.value) : own.err(expected.error);
    expect(await plain(method(good(mine), makersOf.own))).toEqual(
      await plain(method(expected, makersOf.core)),
    );
  }
});

it('iterates as the core does', async () => {
  for (const iterate of [methods[Symbol.iterator]]) {
    expect(await plain(iterate(own.ok(1), makersOf.own))).toEqual({ ok: 2 });
    expect(await plain(iterate(own.err('e'), makersOf.own))).toEqual({ err: 'e' });
  }
});

const asyncNames = Reflect.ownKeys(asyncMethods).map((name) => [String(name), name] as const);

it.each(asyncNames)(
  'has %s of a later Result with the same effect as the core',
  async (_, name) => {
    // cast: it is one of the keys
    const method = asyncMethods[name as keyof typeof asyncMethods];
    for (const make of [() => core.ok(1), () => core.err('e')]) {
      const settled = good(make());
      const expected = new core.ResultAsync(Promise.resolve(settled));
      const mine = own.resultAsync(
        Promise.resolve(settled.isOk() ? own.ok(settled.value) : own.err(settled.error)),
      );
      expect(await plain(method(mine, makersOf.own))).toEqual(
        await plain(method(expected, makersOf.core)),
      );
    }
  },
);

it('can be combined with the core', async () => {
  expect(await plain(core.Result.combine([own.ok(1), core.ok('a')]))).toEqual({ ok: [1, 'a'] });
  const later = own.resultAsync(Promise.resolve(own.err('e')));
  expect(await plain(core.okAsync(1).andThen(() => later))).toEqual({ err: 'e' });
});
