import { weekdays } from '@chairside/core';
import type { Payment } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aKeyRecord, anEvent, aPayment, aProblem, aSchedule, someTime } from '../../builders.ts';
import { answerOf, aReview, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The core keeps so many entries of a timeline. */
const maxTimelineEntries = 64;
/** Longer than any bound that an adapter may think of; a request may have 16 KiB. */
const long = `${'0123456789'.repeat(1_600)} \u{1F600} the end`;
const nul = 'before\0behind';

/** Long texts and full timelines are kept whole. */
export function largeContract(suite: StoreSuite): void {
  const { store, given, commit } = suite;

  describe('keeps whole', () => {
    it('a timeline of full length', async () => {
      const timeline = Array.from({ length: maxTimelineEntries }, (_, index) => ({
        at: someTime + index,
        what: `what happened at step ${index}`,
        cause: 'a cause that says more than one word'.repeat(3),
      }));
      const payment = aPayment({ timeline });
      await given({ kind: 'insertPayment', payment });
      expect(answerOf(await store().payments.get(payment.id))).toStrictEqual(payment);
      const next: Payment = { ...payment, version: 2, timeline: timeline.toReversed() };
      await given({ kind: 'updatePayment', payment: next, expectedVersion: 1 });
      expect(answerOf(await store().payments.get(payment.id))).toStrictEqual(next);
    });

    it('a schedule of twenty shifts, and a note of 2,000 characters', async () => {
      const hours = Array.from({ length: 20 }, (_, index) => ({
        day: weekdays[index % weekdays.length] ?? 'monday',
        from: `${10 + index}:00`,
        to: `${10 + index}:45`,
      }));
      const schedule = aSchedule({ hours });
      // Each character has two bytes, or four.
      const note = '\u{00E9}\u{1F600}'.repeat(1000);
      const [review, resolved] = [aReview({ id: 'rev_1' }), aReview({ id: 'rev_2', note })];
      await given(
        { kind: 'putSchedule', schedule },
        write.review.whole(review),
        write.review.whole(resolved),
        write.review.update({ ...review, version: 2, note }, 1),
      );
      expect(answerOf(await store().schedules.get(schedule.id))).toStrictEqual(schedule);
      for (const { id } of [review, resolved]) {
        expect(answerOf(await store().reviews.get(id))?.note).toBe(note);
      }
    });

    it('the data of a large event and the detail of a long problem', async () => {
      const event = anEvent();
      const large = { ...event, data: { ...event.data, businessId: long } };
      const record = aKeyRecord({ problem: aProblem({ detail: long, attributes: { long } }) });
      await given({ kind: 'appendEvent', event: large }, { kind: 'insertKey', record });
      const [due] = answerOf(await store().events.listDue(someTime * 2, 1));
      expect(due?.event).toStrictEqual(large);
      expect(answerOf(await store().keys.get(record.subject, record.key))).toStrictEqual(record);
    });
  });

  it('keeps a text with U+0000, or refuses its commit and keeps the others', async () => {
    const payment = aPayment({ clientSecret: nul });
    const barber = write.payment({ id: 'cpm_2' });
    const [answer, beside] = await Promise.all([
      commit({ kind: 'insertPayment', payment }),
      commit(barber),
    ]);
    answerOf(beside);
    const kept = answerOf(await store().payments.get(payment.id));
    if (answer.isOk()) expect(kept?.clientSecret).toBe(nul);
    else {
      expect(answer.error).toMatchObject({ kind: 'storeUnavailable', outcome: 'notApplied' });
      expect(kept).toBeUndefined();
    }
    expect(answerOf(await store().payments.get('cpm_2'))?.id).toBe('cpm_2');
  });
}
