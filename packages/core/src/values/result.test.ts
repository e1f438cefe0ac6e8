import { ResultAsync as Theirs } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  err,
  errAsync,
  ok,
  okAsync,
  type Result,
  ResultAsync,
  resultOf,
  type Steps,
} from './result.ts';

const done: string[] = [];

async function* half(whole: number): Steps<number, 'odd'> {
  done.push(`half of ${whole}`);
  const end: Result<number, 'odd'> = whole % 2 === 0 ? ok(whole / 2) : err('odd');
  return yield* end;
}

async function* quarter(whole: number): Steps<number, 'odd'> {
  const rest = yield* half(yield* half(whole));
  done.push(`quarter of ${whole}`);
  return rest;
}

it('steps continue with values, and end early with an error, at every level', async () => {
  expect(await resultOf(quarter(8))).toEqual(ok(2));
  expect(await resultOf(quarter(6))).toEqual(err('odd'));
  expect(done).toEqual(['half of 8', 'half of 4', 'quarter of 8', 'half of 6', 'half of 3']);
});

type Chain = (from: ResultAsync<number, string>) => ResultAsync<unknown, unknown>;

const thrown = new Error('thrown');
const throws = (): never => {
  throw thrown;
};
const chains: Readonly<Record<string, Chain>> = {
  map: (from) => from.map((value) => value + 1),
  'map, later': (from) => from.map(async (value) => value + 1),
  'map, thrown': (from) => from.map(throws),
  'map, rejected': (from) => from.map(async () => throws()),
  mapErr: (from) => from.mapErr((error) => `${error}!`),
  'mapErr, later': (from) => from.mapErr(async (error) => `${error}!`),
  'mapErr, thrown': (from) => from.mapErr(throws),
  'andThen, ok': (from) => from.andThen((value) => ok(value + 1)),
  'andThen, err': (from) => from.andThen(() => err('other')),
  'andThen, later': (from) => from.andThen(() => errAsync('other')),
  'andThen, theirs': (from) => from.andThen((value) => new Theirs(Promise.resolve(ok(value)))),
  'andThen, thrown': (from) => from.andThen(throws),
  'orElse, ok': (from) => from.orElse(() => ok(2)),
  'orElse, err': (from) => from.orElse((error) => err(`${error}!`)),
  'orElse, later': (from) => from.orElse(() => okAsync(2)),
  'orElse, thrown': (from) => from.orElse(throws),
};

describe("ResultAsync is neverthrow's", () => {
  const settled = async (chain: Chain, from: ResultAsync<number, string>) => {
    try {
      return await chain(from);
    } catch (error) {
      return { error };
    }
  };

  it.each(Object.entries(chains))('in %s', async (_, chain) => {
    for (const result of [ok<number, string>(1), err<number, string>('no')]) {
      const ours = await settled(chain, new ResultAsync(Promise.resolve(result)));
      expect(ours).toEqual(await settled(chain, new Theirs(Promise.resolve(result))));
    }
  });

  it('in its class, and in each step of a chain', () => {
    const chained = okAsync<number, string>(1)
      .andThen(() => errAsync('no'))
      .orElse(() => okAsync(2))
      .map(String)
      .mapErr(String);
    expect(chained).toBeInstanceOf(Theirs);
    expect(chained).toBeInstanceOf(ResultAsync);
  });

  it('with or without a value', async () => {
    expect([await okAsync(), await okAsync(1), await errAsync('no')]).toEqual([
      ok(undefined),
      ok(1),
      err('no'),
    ]);
  });
});
