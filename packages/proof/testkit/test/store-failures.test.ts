import { err, ok, type Result } from '@chairside/core';
import { aPayment, createMapStore, someTime } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { about, answerOf, errorOf, remembering } from '../src/store/contract/failures.ts';

const id = 'x'.repeat(255);
const commit = {
  id: 'cmt_1',
  at: someTime,
  changes: [
    { kind: 'insertPayment', payment: aPayment({ id }) },
    { kind: 'deleteKeys', resourceId: 'cpm_2' },
  ],
} as const;

const told = `to commit "cmt_1" (5 characters): insertPayment id "${'x'.repeat(60)}…" (255 characters), deleteKeys resourceId "cpm_2" (5 characters)`;

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not throw');
}

it('names the changes of a failed commit, the ids with their lengths, and the cause', async () => {
  const store = remembering(createMapStore());
  answerOf(await store.commit(commit));
  const conflict = await store.commit({ ...commit, id: 'cmt_2' });
  expect(thrownBy(() => answerOf(conflict)).message).toBe(
    `The store answered {"kind":"storeConflict","change":"insertPayment"} ${told.replace('cmt_1', 'cmt_2')}`,
  );

  const cause = new Error('disk full');
  const unavailable: Result<void, object> = err({ kind: 'storeUnavailable', cause });
  expect(thrownBy(() => answerOf(unavailable)).cause).toBe(cause);
});

it('names them where a store answers ok and should not', async () => {
  const answer = await remembering(createMapStore()).commit(commit);
  expect(thrownBy(() => errorOf(answer)).message).toBe(`The store answered ok ${told}`);
  expect(about(ok())).toBe('');
});
