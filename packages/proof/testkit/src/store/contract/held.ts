import type { Change, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { answerOf, forget, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The other commit runs meanwhile, if it need not wait. */
const meanwhileMs = 40;
const pause = () => new Promise((resolve) => setTimeout(resolve, meanwhileMs));

/**
 * One commit has made its change and waits for a lock. Another one of the same subject is sent
 * meanwhile. Here each meeting is the narrow one that a race only finds sometimes.
 */
export function heldContract(suite: StoreSuite): void {
  const { store, nextId, given } = suite;
  const subject = 'cpm_1';
  const event = (version: number): Change =>
    write.event({ subject, version, occurredAt: someTime });
  const removal: Change = { kind: 'removeEvent', subject, version: 1, deliverAt: someTime };
  const forgetting = forget({ eventsBefore: someTime + 1 });
  const meetings: readonly (readonly [string, Change, Change])[] = [
    ['while the one before it is removed', removal, event(2)],
    ['before the one before it is removed', event(2), removal],
    ['while the one before it is forgotten', forgetting, event(2)],
    ['before the one before it is forgotten', event(2), forgetting],
  ];

  describe('an event is due in the end that is appended', () => {
    it.for(meetings)('%s', async ([, held, meanwhile], test) => {
      const hold = suite.need(test, 'hold');
      const other = await suite.other();
      const send = (to: Store, ...changes: Change[]) =>
        to.commit({ id: nextId(), at: someTime, changes });
      await given(ledgerMove({ openPayments: 1 }));
      for (let round = 0; round < 2; round += 1) {
        // So it no longer waits from the time of its writer, and may be forgotten.
        await given(event(1), { kind: 'postponeEvent', subject, version: 1 });
        await given({ kind: 'reviveEvent', subject, version: 1, deliverAt: someTime - 1 });
        const lock = await hold('appointment-1');
        const first = send(store(), held, ledgerMove({ openPayments: 1 }));
        await lock.waitedFor();
        const second = send(other, meanwhile);
        await Promise.race([second, pause()]);
        await lock.release();
        for (const answer of await Promise.all([first, second])) answerOf(answer);
        const due = answerOf(await store().events.listDue(someTime, 9));
        expect(due.map((pending) => pending.event.version)).toStrictEqual([2]);
        await given({ ...removal, version: 2 });
      }
    });
  });
}
