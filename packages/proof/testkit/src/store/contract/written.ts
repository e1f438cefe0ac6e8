import type { Result } from '@chairside/core';
import type { Commit, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { expect } from 'vitest';
import { someTime } from '../../builders.ts';
import { about } from './failures.ts';
import { answerOf, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

export type Answer = Result<void, StoreConflict | StoreUnavailable>;

/** No commit takes more messages than that. */
export const mostMessages = 60;

/** One record of three tables each, so that a part shows. */
export function someCommit({ nextId }: StoreSuite): Commit {
  const id = nextId();
  const move = ledgerMove({ appointmentId: id, openPayments: 1 });
  return { id, at: someTime, changes: [write.payment({ id }), move, write.barber({ id })] };
}

/** Whether a store shows the whole commit. */
export async function isThere(store: Store, { id }: Commit): Promise<boolean> {
  const payment = answerOf(await store.payments.get(id)) !== undefined;
  const { openPayments } = answerOf(await store.ledgers.get(id));
  const barber = answerOf(await store.barbers.get(id)) !== undefined;
  const seen = { payment, openPayments, barber };
  expect(seen).toStrictEqual({ payment, openPayments: payment ? 1 : 0, barber: payment });
  return payment;
}

/** A success was written. What was not applied was not, and nothing is true of an unknown outcome. */
export function expectTrue(answer: Answer, isWritten: boolean): void {
  if (answer.isOk()) {
    expect(isWritten, `The store answered ok${about(answer)}`).toBe(true);
    return;
  }
  const { error } = answer;
  const outcome = expect.stringMatching(/^(notApplied|unknown)$/);
  const unavailable = { kind: 'storeUnavailable', outcome };
  expect(error, `The answer${about(answer)}`).toMatchObject(unavailable);
  if (error.kind === 'storeUnavailable' && error.outcome === 'notApplied') {
    expect(isWritten, `The store said notApplied${about(answer)}`).toBe(false);
  }
}
