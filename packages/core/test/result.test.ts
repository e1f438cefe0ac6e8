import { expect, it } from 'vitest';
import { err, ok, type Result, resultOf, type Steps } from '../src/domain/result.ts';

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
