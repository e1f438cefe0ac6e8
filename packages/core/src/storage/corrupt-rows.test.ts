import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { value } from '../../test/support.ts';
import { createChairside } from '../chairside.ts';
import { toWork } from './columns.ts';
import { decoderOf, toMinor, toNumber, workOf } from './index.ts';

describe('a row that no version has written', () => {
  it('is an error, and no other value', () => {
    expect(() => toNumber(2n ** 53n)).toThrow(RangeError);
    expect(() => toMinor(2 ** 53)).toThrow(RangeError);
    const row = { id: 'b-1', document: 'secret' };
    const told = 'A row of chairside_businesses cannot be read: b-1';
    expect(() => decoderOf('businesses')(row)).toThrow(new Error(told));
    const reported: unknown[] = [];
    const report = (error: unknown) => reported.push(error);
    expect(workOf('businesses', report)([row])).toEqual([]);
    expect(reported).toEqual([new Error(told)]);
    expect(() => workOf('businesses', report, true)([row])).toThrow(new Error(told));
  });

  it.each(['work_fence', 'work_attempt', 'work_lease_until'])('has work without a %s', (name) => {
    const columns = { work_fence: 1, work_attempt: 1, work_lease_until: 1 };
    const row = { ...columns, work_kind: 'capture', work_cause: null, [name]: null } as const;
    expect(() => toWork(row)).toThrow('some work columns are missing');
  });
});

it('lists no reviews after an id that no store can keep (D12)', async () => {
  const chairside = createChairside(testPorts().options);
  expect(value(await chairside.listReviews({ after: '\0' }))).toEqual([]);
});
