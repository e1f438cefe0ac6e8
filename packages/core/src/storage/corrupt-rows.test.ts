import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { value } from '../../test/support.ts';
import { createChairside } from '../chairside.ts';
import { decoderOf, toMinor, toNumber } from './index.ts';

describe('a row that no version has written', () => {
  it('is an error, and no other value', () => {
    expect(() => toNumber(2n ** 53n)).toThrow(RangeError);
    expect(() => toMinor(2 ** 53)).toThrow(RangeError);
    const row = { id: 'b-1', document: 'secret' };
    const told = 'A row of chairside_businesses cannot be read: b-1';
    expect(() => decoderOf('businesses')(row)).toThrow(new Error(told));
  });
});

it('lists no reviews after an id that no store can keep (D12)', async () => {
  const chairside = createChairside(testPorts().options);
  expect(value(await chairside.listReviews({ after: '\0' }))).toEqual([]);
});
