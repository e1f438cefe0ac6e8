import { expect, it } from 'vitest';
import { toLimit, toTimeoutMs } from './operation.ts';

it.each([
  [undefined, 100],
  [Number.NaN, 100],
  [-1, 1],
  [0, 1],
  [7.9, 7],
  [1000, 1000],
  [Number.POSITIVE_INFINITY, 1000],
])('a limit of %s items is %s', (asked, expected) => {
  expect(toLimit(asked)).toBe(expected);
});

it.each([
  [undefined, 5000],
  [Number.NaN, 5000],
  [-1, 5000],
  [0, 5000],
  [1, 1],
  // A longer delay of a timer fires at once.
  [2 ** 31, 2 ** 31 - 1],
])('a timeout of %s ms is %s ms', (asked, expected) => {
  expect(toTimeoutMs(asked, 5000)).toBe(expected);
});
