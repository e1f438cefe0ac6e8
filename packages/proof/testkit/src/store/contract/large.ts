import { weekdays } from '@chairside/core';
import type { Change, Payment } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aKeyRecord, anEvent, aPayment, aProblem, aSchedule, someTime } from '../../builders.ts';
import { answerOf, aReview, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The core keeps so many entries of a timeline. */
const maxTimelineEntries = 64;
/** More than the page of a driver or a careful limit. */
const many = 130;
/** Longer than any bound that an adapter may think of; a request may have 16 KiB. */
const long = `${'0123456789'.repeat(1_600)} \u{1F600} the end`;
const nul = 'before\0behind';

/** Long texts, full timelines and long lists are kept whole. */
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
        { kind: 'insertReview', review },
        { kind: 'insertReview', review: { ...resolved, resolvedAt: someTime } },
        { kind: 'resolveReview', id: review.id, resolvedAt: someTime, note },
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

  /** A list of the port, its records from the lowest, and how it is read. */
  const lists: readonly (readonly [
    of: string,
    changeOf: (id: string, at: number) => Change,
    read: (limit: number) => PromiseLike<readonly string[]>,
  ])[] = [
    [
      "an appointment's payments",
      (id, createdAt) => write.payment({ id, createdAt }),
      async (limit) =>
        answerOf(await store().payments.listByAppointment('appointment-1', limit)).map(idOf),
    ],
    [
      'due payments',
      (id, nextCheckAt) => write.payment({ id, nextCheckAt }),
      async (limit) => answerOf(await store().payments.listDue(someTime * 2, limit)).map(idOf),
    ],
    [
      'due events',
      (subject, occurredAt) => write.event({ subject, occurredAt }),
      async (limit) =>
        answerOf(await store().events.listDue(someTime * 2, limit)).map(
          ({ event }) => event.subject,
        ),
    ],
    [
      "a payment's refunds",
      (id) => write.refund({ id, paymentId: 'cpm_1' }),
      async (limit) => answerOf(await store().refunds.listByPayment('cpm_1', limit)).map(idOf),
    ],
    [
      'due refunds',
      (id, nextCheckAt) => write.refund({ id, nextCheckAt }),
      async (limit) => answerOf(await store().refunds.listDue(someTime * 2, limit)).map(idOf),
    ],
    [
      "a payment's disputes",
      (id) => write.dispute({ id, paymentId: 'cpm_1' }),
      async (limit) => answerOf(await store().disputes.listByPayment('cpm_1', limit)).map(idOf),
    ],
    [
      'open disputes',
      (id) => write.dispute({ id, state: 'open' }),
      async (limit) => answerOf(await store().disputes.list('open', limit)).map(idOf),
    ],
    [
      'open reviews',
      (id, openedAt) => ({
        kind: 'insertReview',
        review: { id, reason: 'unsettled', account: 'acct_1', openedAt },
      }),
      async (limit) => answerOf(await store().reviews.list('open', limit)).map(idOf),
    ],
    [
      "an account's open reviews",
      (id, openedAt) => ({
        kind: 'insertReview',
        review: { id, reason: 'unsettled', account: 'acct_1', openedAt },
      }),
      async (limit) =>
        answerOf(await store().reviews.listOpenOf('acct_1', 'unsettled', limit)).map(idOf),
    ],
    [
      'due setups',
      (id, nextCheckAt) => write.setup({ id, nextCheckAt }),
      async (limit) => answerOf(await store().setups.listDue(someTime * 2, limit)).map(idOf),
    ],
    [
      "a customer's setups",
      (id, createdAt) => write.setup({ id, createdAt, customerId: 'customer-1' }),
      async (limit) => answerOf(await store().setups.listByCustomer('customer-1', limit)).map(idOf),
    ],
    [
      'stale sweeps',
      (books, triedAt) => ({
        kind: 'putSweep',
        swept: { books, sweptBefore: someTime, triedAt },
      }),
      async (limit) =>
        answerOf(await store().sweeps.listStale(someTime, limit)).map(({ books }) => books),
    ],
    [
      "a barber's terminals",
      (id, createdAt) => write.terminal({ id, deviceIdentifier: id, createdAt }),
      async (limit) => answerOf(await store().terminals.listByBarber('barber-1', limit)).map(idOf),
    ],
  ];

  describe(`lists ${many} records, in order:`, () => {
    it.each(lists)('%s', async (_, changeOf, read) => {
      const ids = Array.from({ length: many }, (_of, index) => `${1000 + index}`);
      const changes = ids.map((id, index) => changeOf(id, someTime + index));
      // The order of writing says nothing.
      await given(...changes.filter((_of, index) => index % 2 === 1));
      await given(...changes.filter((_of, index) => index % 2 === 0).toReversed());
      expect(await read(many + 1)).toStrictEqual(ids);
      expect(await read(many)).toStrictEqual(ids);
      expect(await read(many - 1)).toHaveLength(many - 1);
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
