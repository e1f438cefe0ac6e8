import { hourMs } from '@chairside/core';
import type { Change, Commit, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aBarber, anEvent, aPayment, someTime } from '../../builders.ts';
import { answerOf, errorOf, forget, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** A commit has one effect, all of it, at once. */
export function commitsContract(suite: StoreSuite): void {
  const { store, nextId, given } = suite;

  describe('a commit', () => {
    const move = ledgerMove({ openPayments: 1 });

    it('that was refused may succeed later under its id', async () => {
      const id = nextId();
      const changes: Change[] = [move, { kind: 'deleteTerminal', id: 'trm_1' }];
      expect((await store().commit({ id, at: someTime, changes })).isErr()).toBe(true);
      await given(write.terminal());
      answerOf(await store().commit({ id, at: someTime, changes }));
      expect(answerOf(await store().wasCommitted(id))).toBe(true);
      expect(answerOf(await store().ledgers.get('appointment-1')).openPayments).toBe(1);
    });

    it('removes a payment whose opening was refused, with its reservation', async () => {
      const work = { kind: 'open', fence: 1, attempt: 1, leaseUntil: someTime + hourMs } as const;
      const payment = aPayment({ reserved: true, work, nextCheckAt: someTime });
      const one = { openPayments: 1, reservedMinor: payment.amountMinor };
      const none = { openPayments: -1, reservedMinor: -payment.amountMinor };
      await given({ kind: 'insertPayment', payment }, ledgerMove(one));
      const removed: Change = {
        kind: 'deletePayment',
        id: payment.id,
        expectedVersion: payment.version,
      };
      await given(removed, ledgerMove(none));
      expect(answerOf(await store().payments.get(payment.id))).toBeUndefined();
      expect(answerOf(await store().payments.listDue(someTime * 2, 9))).toStrictEqual([]);
      expect(answerOf(await store().payments.listByAppointment('appointment-1', 9))).toEqual([]);
      expect(answerOf(await store().ledgers.get('appointment-1'))).toMatchObject({
        openPayments: 0,
        reservedMinor: 0n,
      });
      await given({ kind: 'insertPayment', payment });
      expect(answerOf(await store().payments.get(payment.id))).toStrictEqual(payment);
    });

    it('applies several hundred changes', async () => {
      const ids = Array.from({ length: 400 }, (_, index) => `barber ${index}`);
      const changes = ids.map((id): Change => write.barber({ id }));
      answerOf(await store().commit({ id: nextId(), at: someTime, changes: [move, ...changes] }));
      const found = await Promise.all(ids.map((id) => store().barbers.get(id)));
      expect(found.map((answer) => answerOf(answer)?.id)).toStrictEqual(ids);
      const refused: Change = { kind: 'deleteTerminal', id: 'no' };
      const renamed = ids.map((id): Change => write.barber({ id, businessId: 'other' }));
      const answer = await store().commit({
        id: nextId(),
        at: someTime,
        changes: [...renamed, refused],
      });
      expect(answer.isErr()).toBe(true);
      expect(answerOf(await store().barbers.get('barber 0'))?.businessId).not.toBe('other');
    });

    it('that is refused among many of the same moment changes no other answer', async () => {
      const ids = Array.from({ length: 250 }, (_, index) => `trm_${index}`);
      const refused = ['trm_7', 'trm_140', 'trm_249'];
      const terminal = (id: string): Change => write.terminal({ id, deviceIdentifier: id });
      await given(...refused.map(terminal));
      const answers = await Promise.all(
        ids.map((id) => store().commit({ id: nextId(), at: someTime, changes: [terminal(id)] })),
      );
      const conflict = { kind: 'storeConflict', change: 'insertTerminal' };
      for (const [index, id] of ids.entries()) {
        const answer = answers[index];
        if (refused.includes(id)) expect(answer?._unsafeUnwrapErr()).toStrictEqual(conflict);
        else expect(answer?.isOk(), id).toBe(true);
      }
      const found = await Promise.all(ids.map((id) => store().terminals.get(id)));
      expect(found.map((answer) => answerOf(answer)?.id)).toStrictEqual(ids);
    });

    it('that cannot be encoded does not stop the others', async () => {
      const good = Array.from({ length: 6 }, (_, index) => ({
        id: `good ${index} ${nextId()}`,
        barber: aBarber({ id: `barber ${index}` }),
      }));
      const event = anEvent({ subject: 'cannot be encoded' });
      // cast: JSON has no bigint, and hosts in plain JavaScript may pass one
      const data = { ...event.data, amount: 5n } as unknown as typeof event.data;
      const bad: Commit = {
        id: nextId(),
        at: someTime,
        changes: [
          write.barber({ id: 'before it' }),
          { kind: 'appendEvent', event: { ...event, data } as typeof event }, // cast: as above
        ],
      };
      const commits = good.map(
        ({ id, barber }): Commit => ({
          id,
          at: someTime,
          changes: [{ kind: 'putBarber', barber }],
        }),
      );
      commits.splice(3, 0, bad);
      const answers = await Promise.all(commits.map((commit) => store().commit(commit)));
      const [refused] = answers.splice(3, 1);
      answers.map((answer) => answerOf(answer));
      for (const { barber } of good) {
        expect(answerOf(await store().barbers.get(barber.id))).toStrictEqual(barber);
      }
      // A store that can encode it may apply it, as a whole.
      const isApplied = refused?.isOk() === true;
      expect(answerOf(await store().barbers.get('before it')) !== undefined).toBe(isApplied);
      const due = answerOf(await store().events.listDue(someTime + hourMs, 9));
      const found = due.filter((pending) => pending.event.subject === event.subject);
      expect(found).toHaveLength(isApplied ? 1 : 0);
      if (refused === undefined || refused.isOk()) return;
      expect(refused.error).toMatchObject({ kind: 'storeUnavailable', outcome: 'notApplied' });
    });

    it('is remembered for an hour, after any number of later ones', async () => {
      const first: Commit = { id: nextId(), at: someTime, changes: [move] };
      answerOf(await store().commit(first));
      const later = Array.from({ length: 300 }, (_, index): Commit => {
        const at = someTime + Math.floor(((index + 1) * hourMs) / 301);
        return { id: nextId(), at, changes: [] };
      });
      (await Promise.all(later.map((commit) => store().commit(commit)))).map(answerOf);
      for (const { id } of [first, ...later]) {
        expect(answerOf(await store().wasCommitted(id))).toBe(true);
      }
      answerOf(await store().commit(first));
      expect(answerOf(await store().ledgers.get('appointment-1')).openPayments).toBe(1);
    });

    it('is visible as a whole to every later read', async () => {
      for (let version = 1; version <= 20; version += 1) {
        const payment = aPayment({ id: 'cpm_seen', version, nextCheckAt: someTime });
        const { id, appointment } = payment;
        await given(
          version === 1
            ? { kind: 'insertPayment', payment }
            : { kind: 'updatePayment', payment, expectedVersion: version - 1 },
        );
        expect(answerOf(await store().payments.get(id))?.version).toBe(version);
        const listed = answerOf(await store().payments.listByAppointment(appointment.id, 9));
        expect(listed.map((found) => found.version)).toStrictEqual([version]);
        const due = answerOf(await store().payments.listDue(someTime, 9));
        expect(due.map((found) => found.version)).toStrictEqual([version]);
      }
    });
  });
}

const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };
/** Later than the time of any database. */
const muchLater = Date.UTC(2999, 0);
/** Long enough for a question that does not wait. */
const shortlyMs = 50;
/** How long the commit has waited when it is asked about. */
const waitedMs = [0, 0, 150, 500];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** `wasCommitted` is final: a commit that it denies is never applied. */
export function denialsContract(suite: StoreSuite): void {
  const { store, nextId, given } = suite;
  const move = ledgerMove({ openPayments: 1 });
  const openPayments = async () =>
    answerOf(await store().ledgers.get('appointment-1')).openPayments;

  const askers: [string, () => Promise<Store>][] = [
    ['the same store', async () => store()],
    ['another node', () => suite.other()],
  ];

  describe('wasCommitted (D150)', () => {
    it.each(askers)('is final where it denies a commit: %s', async (_, asker) => {
      const commit = { id: nextId(), at: someTime, changes: [move] };
      const asked = await asker();
      expect(answerOf(await asked.wasCommitted(commit.id))).toBe(false);
      for (let count = 0; count < 2; count += 1) {
        expect(errorOf(await store().commit(commit))).toMatchObject(notApplied);
        expect(await openPayments()).toBe(0);
        expect(answerOf(await asked.wasCommitted(commit.id))).toBe(false);
      }
    });

    it.for(askers)('is true of a commit that waits for a lock: %s', async ([, asker], test) => {
      const hold = suite.need(test, 'hold');
      await given(move);
      const asked = await asker();
      for (const waited of waitedMs) {
        const before = await openPayments();
        const id = nextId();
        const held = await hold('appointment-1');
        const sent = store().commit({ id, at: someTime, changes: [move] });
        await held.waitedFor();
        await pause(waited);
        const answer = asked.wasCommitted(id);
        await Promise.race([answer, pause(shortlyMs)]);
        await held.release();
        const isWritten = (await sent).isOk();
        const isFound = await answer;
        expect(await openPayments()).toBe(isWritten ? before + 1 : before);
        if (isFound.isOk()) expect(isFound.value).toBe(isWritten);
        else expect(isFound.error).toMatchObject(notApplied);
      }
    });

    it('forgets denials as it forgets ids of commits', async () => {
      const commit = { id: nextId(), at: someTime, changes: [move] };
      expect(answerOf(await store().wasCommitted(commit.id))).toBe(false);
      await given(forget({ now: muchLater, commitsBefore: muchLater }));
      answerOf(await store().commit(commit));
      expect(await openPayments()).toBe(1);
    });
  });
}
