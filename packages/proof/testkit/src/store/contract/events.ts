import type { Change, EventKey, PendingEvent, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { answerOf, forget, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The queue of events: in order for each subject, one taker at a time (D26). */
export function eventsContract(suite: StoreSuite): void {
  const { store, given } = suite;

  describe('an event', () => {
    const at = (version: number) => ({ subject: 'cpm_1', version });
    const append = (version: number, subject = 'cpm_1'): Change =>
      write.event({ subject, version, occurredAt: someTime + version });
    const take = (version: number, attempts: number, deliverAt: number): Change => ({
      kind: 'leaseEvent',
      ...at(version),
      attempts,
      deliverAt,
    });
    const named = ({ event, attempts }: PendingEvent) =>
      `${event.subject} ${event.version} attempts ${attempts}`;
    const due = async (now: number, limit = 9) =>
      answerOf(await store().events.listDue(now, limit)).map(named);
    const dead = async (limit = 9, after?: EventKey) =>
      answerOf(await store().events.listDead(limit, after)).map(named);
    const long = someTime + 1_000_000;
    const forgetEvents = (eventsBefore: number, now = long) => forget({ now, eventsBefore });

    it('is due at once, after the earlier ones of its subject, the longest due first', async () => {
      await given(append(5), append(6), append(4, 'b'), append(3, 'c'));
      expect(await due(long)).toStrictEqual([
        'c 3 attempts 0',
        'b 4 attempts 0',
        'cpm_1 5 attempts 0',
      ]);
      expect(await due(long, 2)).toStrictEqual(['c 3 attempts 0', 'b 4 attempts 0']);
      expect(await due(someTime + 3)).toStrictEqual(['c 3 attempts 0']);
      expect(await due(long, 0)).toStrictEqual([]);
    });

    it('that is leased is due again only after its lease', async () => {
      await given(append(1), append(2));
      await given(take(1, 0, long));
      expect(await due(long - 1)).toStrictEqual([]);
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 1']);
      await given(take(1, 1, long + 1));
      expect(await due(long + 1)).toStrictEqual(['cpm_1 1 attempts 2']);
    });

    it('that was delivered makes way for the next', async () => {
      await given(append(1), append(2), append(3));
      await given(take(1, 0, someTime));
      await given({ kind: 'removeEvent', ...at(1), attempts: 1, deliverAt: long });
      expect(await due(long - 1)).toStrictEqual([]);
      expect(await due(long)).toStrictEqual(['cpm_1 2 attempts 0']);
      await given(
        { kind: 'removeEvent', ...at(2), deliverAt: long },
        { kind: 'removeEvent', ...at(3), deliverAt: long },
      );
      expect(await due(long)).toStrictEqual([]);
      await given(append(4));
      expect(await due(long)).toStrictEqual(['cpm_1 4 attempts 0']);
    });

    it('that is removed makes the next one of its subject due, and no other', async () => {
      const later = (ms: number) => long + ms;
      const subjects = ['cpm_0', 'cpm_1', 'cpm_2'];
      const remove = (subject: string, version: number, deliverAt: number): Change => ({
        kind: 'removeEvent',
        ...{ subject, version, deliverAt },
      });
      await given(
        ...subjects.flatMap((subject) => [1, 2, 3].map((version) => append(version, subject))),
        remove('cpm_1', 1, later(1)),
        remove('cpm_0', 1, later(3)),
        remove('cpm_2', 1, later(4)),
        remove('cpm_1', 2, later(5)),
      );
      expect(await due(later(2))).toStrictEqual([]);
      expect(await due(later(3))).toStrictEqual(['cpm_0 2 attempts 0']);
      expect(await due(later(4))).toStrictEqual(['cpm_0 2 attempts 0', 'cpm_2 2 attempts 0']);
      expect(await due(later(5))).toHaveLength(3);
    });

    it('that is postponed is due again, with its attempts counted', async () => {
      await given(append(1), take(1, 0, someTime));
      await given({ kind: 'postponeEvent', ...at(1), attempts: 1, deliverAt: long });
      expect(await due(long - 1)).toStrictEqual([]);
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 1']);
    });

    it('that is dead parks the later ones until it is revived', async () => {
      await given(append(1), append(2), take(1, 0, someTime));
      await given({ kind: 'postponeEvent', ...at(1) });
      await given(append(3));
      expect(await due(long)).toStrictEqual([]);
      expect(await dead()).toStrictEqual(['cpm_1 1 attempts 1']);
      await given({ kind: 'reviveEvent', ...at(1), deliverAt: long });
      expect(await dead()).toStrictEqual([]);
      expect(await due(long - 1)).toStrictEqual([]);
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 0']);
    });

    it('that is dead is due again when it is postponed, and keeps its attempts', async () => {
      await given(append(1), take(1, 0, someTime));
      await given({ kind: 'postponeEvent', ...at(1) });
      await given({ kind: 'postponeEvent', ...at(1), attempts: 1, deliverAt: long });
      expect(await dead()).toStrictEqual([]);
      expect(await due(long - 1)).toStrictEqual([]);
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 1']);
    });

    it('that is dead parks the later ones until it is skipped', async () => {
      await given(append(1), append(2));
      await given({ kind: 'postponeEvent', ...at(1) });
      await given({ kind: 'removeEvent', ...at(1), deliverAt: long });
      expect(await dead()).toStrictEqual([]);
      expect(await due(long)).toStrictEqual(['cpm_1 2 attempts 0']);
    });

    it('that is dead stays so when it becomes the first', async () => {
      await given(append(1), append(2), append(3));
      await given({ kind: 'postponeEvent', ...at(2) });
      await given({ kind: 'removeEvent', ...at(1), deliverAt: long });
      expect(await due(long)).toStrictEqual([]);
      expect(await dead()).toStrictEqual(['cpm_1 2 attempts 0']);
    });

    it('that is dead stays so when what was before it is forgotten', async () => {
      await given(append(1), append(2), append(3));
      await given({ kind: 'postponeEvent', ...at(2) });
      await given(forgetEvents(someTime + 2, someTime + 2), forgetEvents(someTime + 3));
      expect(await due(long)).toStrictEqual([]);
      expect(await dead()).toStrictEqual(['cpm_1 2 attempts 0']);
    });

    it('that is dead is listed by subject and version, page by page', async () => {
      const keys = ['c', 'a', 'b'].flatMap((subject) =>
        [2, 1].map((version) => ({ subject, version })),
      );
      await given(...keys.map(({ subject, version }) => append(version, subject)), append(1, 'd'));
      await given(...keys.map((key): Change => ({ kind: 'postponeEvent', ...key })));
      const inOrder = ['a 1', 'a 2', 'b 1', 'b 2', 'c 1', 'c 2'].map((key) => `${key} attempts 0`);
      expect(await dead()).toStrictEqual(inOrder);
      expect(await dead(3)).toStrictEqual(inOrder.slice(0, 3));
      const page = await dead(3, { subject: 'b', version: 1 });
      expect(page).toStrictEqual(inOrder.slice(3, 6));
      expect(await dead(3, { subject: 'c', version: 2 })).toStrictEqual([]);
    });

    it('is leased, parked and revived alone, beside neighbours of any name', async () => {
      const subjects = ['a', 'cpm_0', 'cpm_1', 'cpm_2', 'z'];
      const keys = subjects.flatMap((subject) =>
        [1, 2, 3].map((version) => ({ subject, version })),
      );
      await given(...keys.map(({ subject, version }) => append(version, subject)));
      await given(take(1, 0, long + 1));
      expect(await due(long)).toStrictEqual(
        ['a', 'cpm_0', 'cpm_2', 'z'].map((subject) => `${subject} 1 attempts 0`),
      );
      await given({ kind: 'postponeEvent', ...at(2) });
      expect(await dead(20)).toStrictEqual(['cpm_1 2 attempts 0']);
      await given(...keys.map((key): Change => ({ kind: 'postponeEvent', ...key })));
      await given({ kind: 'reviveEvent', ...at(2), deliverAt: long });
      const left = keys.filter(({ subject, version }) => subject !== 'cpm_1' || version !== 2);
      expect(answerOf(await store().events.listDead(20)).map(({ event }) => event)).toMatchObject(
        left,
      );
    });

    it('that was taken is not deleted, even if its lease is over', async () => {
      await given(append(1), append(2));
      await given(take(1, 0, someTime + 2));
      await given(forgetEvents(long));
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 1']);
      await given({ kind: 'postponeEvent', ...at(1), attempts: 1, deliverAt: someTime + 3 });
      await given(forgetEvents(long));
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 1']);
    });

    it('that was never taken counts from the first look at it, by the clock of that look', async () => {
      // The clock of its writer may have been months behind.
      await given(append(1), append(2), append(1, 'b'));
      await given(forgetEvents(someTime + 100, long));
      expect(await due(long - 1)).toStrictEqual([]);
      expect((await due(long)).toSorted()).toStrictEqual(['b 1 attempts 0', 'cpm_1 1 attempts 0']);
      await given(forgetEvents(long, long + 5));
      expect(await due(long)).toHaveLength(2);
    });

    it('that was never taken is deleted after a while, and no other', async () => {
      const counted = someTime + 10;
      await given(append(1), append(2), append(3), append(4));
      await given(forgetEvents(someTime + 9, counted), forgetEvents(counted));
      expect(await due(long)).toStrictEqual(['cpm_1 1 attempts 0']);
      await given(forgetEvents(counted + 1));
      // The event behind it is due since that one was, because it occurred earlier.
      expect(await due(counted - 1)).toStrictEqual([]);
      expect(await due(counted)).toStrictEqual(['cpm_1 2 attempts 0']);
      await given(forgetEvents(counted));
      expect(await due(long)).toStrictEqual(['cpm_1 2 attempts 0']);
      await given(forgetEvents(counted + 1));
      expect(await due(long)).toStrictEqual(['cpm_1 3 attempts 0']);
      await given(take(3, 0, long), forgetEvents(counted + 1));
      expect(await due(long)).toStrictEqual(['cpm_1 3 attempts 1']);
      // A dead letter stays, and so do the events behind it.
      await given({ kind: 'postponeEvent', ...at(3) }, forgetEvents(long));
      expect(await dead()).toStrictEqual(['cpm_1 3 attempts 1']);
      // After its revival it has the full time again.
      await given({ kind: 'reviveEvent', ...at(3), deliverAt: long }, forgetEvents(long));
      expect(await due(long)).toStrictEqual(['cpm_1 3 attempts 0']);
      await given({ kind: 'removeEvent', ...at(3), deliverAt: long });
      expect(await due(long)).toStrictEqual(['cpm_1 4 attempts 0']);
    });

    it('that occurred after a forgotten one of its subject counts from its own time', async () => {
      await given(append(1), append(20));
      await given(forgetEvents(someTime + 5, someTime + 10), forgetEvents(someTime + 11));
      expect(await due(someTime + 19)).toStrictEqual([]);
      expect(await due(someTime + 20)).toStrictEqual(['cpm_1 20 attempts 0']);
    });
  });
}

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
