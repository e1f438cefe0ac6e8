import type { Payment } from '@chairside/core/ports';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aBarber } from '../../builders.ts';
import * as keys from '../arbitraries/keys-and-events.ts';
import * as arbitrary from '../arbitraries/records.ts';
import { always, answerOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** Every field of every record is returned unchanged. */
export function fieldsContract(suite: StoreSuite): void {
  const { store, nextId, given, insert } = suite;

  describe('keeps every field of', () => {
    it('a payment that is inserted', () =>
      always(arbitrary.payments, async (drawn) => {
        const payment = { ...drawn, id: `${nextId()}${drawn.id}` };
        await insert(payment);
        expectSamePayment(answerOf(await store().payments.get(payment.id)), payment);
      }));

    it('a payment that is updated', () =>
      always(arbitrary.changedPayments, async ([first, second]) => {
        const id = nextId();
        const after = { ...second, id };
        await insert({ ...first, id });
        await given({
          kind: 'updatePayment',
          payment: after,
          expectedVersion: first.version,
        });
        expectSamePayment(answerOf(await store().payments.get(id)), after);
      }));

    it('a key', () =>
      always(keys.keyRecords, async (drawn) => {
        const record = { ...drawn, subject: `${nextId()}${drawn.subject}` };
        await given({ kind: 'insertKey', record });
        const kept = answerOf(await store().keys.get(record.subject, record.key));
        expect(kept).toStrictEqual(record);
        // It is replayed byte for byte (D21).
        expect(JSON.stringify(kept?.problem)).toBe(JSON.stringify(record.problem));
      }));

    it('a key that gets its final problem, and no other key', () =>
      always(fc.tuple(keys.keyRecords, keys.problems), async ([drawn, problem]) => {
        const { problem: _none, ...unfinished } = drawn;
        const { key } = drawn;
        const mine = { ...unfinished, subject: nextId() };
        const theirs = { ...unfinished, subject: nextId() };
        const another = { ...mine, key: nextId() };
        for (const record of [mine, theirs, another]) await given({ kind: 'insertKey', record });
        await given({ kind: 'finishKey', subject: mine.subject, key, problem });
        const kept = answerOf(await store().keys.get(mine.subject, key));
        expect(kept).toStrictEqual({ ...mine, problem });
        expect(JSON.stringify(kept?.problem)).toBe(JSON.stringify(problem));
        for (const other of [theirs, another]) {
          expect(answerOf(await store().keys.get(other.subject, other.key))).toStrictEqual(other);
        }
      }));

    it('a person who acts, also under another name', () =>
      always(arbitrary.actors, async (drawn) => {
        const number = drawn.number + 1;
        const actor = { number, subject: `${nextId()}${drawn.subject}` };
        const { actors } = store();
        if (answerOf(await actors.get(number)) === undefined) {
          await given({ kind: 'insertActor', actor });
          expect(answerOf(await actors.getBySubject(actor.subject))).toStrictEqual(actor);
        }
        const renamed = { number, subject: nextId() };
        await given({ kind: 'renameActor', ...renamed });
        expect(answerOf(await actors.get(number))).toStrictEqual(renamed);
        expect(answerOf(await actors.getBySubject(actor.subject))).toBeUndefined();
      }));

    it('a terminal', () =>
      always(arbitrary.terminals, async (drawn) => {
        const unique = nextId();
        const deviceIdentifier = `${unique}${drawn.deviceIdentifier}`;
        const terminal = { ...drawn, id: `${unique}${drawn.id}`, deviceIdentifier };
        await given({ kind: 'insertTerminal', terminal });
        expect(answerOf(await store().terminals.get(terminal.id))).toStrictEqual(terminal);
        const byDevice = await store().terminals.getByDeviceIdentifier(deviceIdentifier);
        expect(answerOf(byDevice)).toStrictEqual(terminal);
      }));

    it('an appointment, also when it replaces one', () =>
      always(fc.tuple(arbitrary.appointments, arbitrary.appointments), async ([first, second]) => {
        const appointment = { ...second, id: first.id };
        await given({ kind: 'putAppointment', appointment: first });
        await given({ kind: 'putAppointment', appointment });
        const kept = answerOf(await store().appointments.get(first.id));
        expect(kept).toStrictEqual(appointment);
      }));

    it('a business, also when it replaces one', () =>
      always(fc.tuple(arbitrary.businesses, arbitrary.businesses), async ([first, second]) => {
        const business = { ...second, id: first.id };
        await given({ kind: 'putBusiness', business: first });
        await given({ kind: 'putBusiness', business });
        expect(answerOf(await store().businesses.get(first.id))).toStrictEqual(business);
      }));

    it('a setup, inserted and updated', () =>
      always(fc.tuple(arbitrary.setups, arbitrary.setups), async ([drawn, drawnNext]) => {
        const id = `${nextId()}${drawn.id}`;
        await given({ kind: 'insertSetup', setup: { ...drawn, id } });
        expect(answerOf(await store().setups.get(id))).toStrictEqual({ ...drawn, id });
        const { customerId, savePaymentMethod, createdAt } = drawn;
        const setup = { ...drawnNext, id, customerId, savePaymentMethod, createdAt };
        await given({ kind: 'updateSetup', setup, expectedVersion: drawn.version });
        expect(answerOf(await store().setups.get(id))).toStrictEqual(setup);
      }));

    it('a refund, inserted and updated', () =>
      always(fc.tuple(arbitrary.refunds, arbitrary.refunds), async ([drawn, next]) => {
        const id = `${nextId()}${drawn.id}`;
        await given({ kind: 'insertRefund', refund: { ...drawn, id } });
        expect(answerOf(await store().refunds.get(id))).toStrictEqual({ ...drawn, id });
        const refund = { ...next, id };
        await given({ kind: 'updateRefund', refund, expectedVersion: drawn.version });
        expect(answerOf(await store().refunds.get(id))).toStrictEqual(refund);
      }));

    it('a tender, inserted and updated', () =>
      always(fc.tuple(arbitrary.tenders, arbitrary.tenders), async ([drawn, next]) => {
        const id = `${nextId()}${drawn.id}`;
        await given({ kind: 'insertTender', tender: { ...drawn, id } });
        expect(answerOf(await store().tenders.get(id))).toStrictEqual({ ...drawn, id });
        const tender = { ...next, id };
        await given({ kind: 'updateTender', tender, expectedVersion: drawn.version });
        expect(answerOf(await store().tenders.get(id))).toStrictEqual(tender);
      }));

    it('an entry of a share, inserted and updated', () =>
      always(fc.tuple(arbitrary.shares, arbitrary.shares), async ([drawn, next]) => {
        const id = `${nextId()}${drawn.id}`;
        await given({ kind: 'insertShare', share: { ...drawn, id } });
        expect(answerOf(await store().shares.get(id))).toStrictEqual({ ...drawn, id });
        const share = { ...next, id };
        await given({ kind: 'updateShare', share, expectedVersion: drawn.version });
        expect(answerOf(await store().shares.get(id))).toStrictEqual(share);
      }));

    it('a movement', () =>
      always(arbitrary.movements, async (drawn) => {
        const movement = { ...drawn, paymentId: nextId(), id: `${nextId()}${drawn.id}` };
        await given({ kind: 'insertMovement', movement });
        const kept = await store().movements.listByPayment(movement.paymentId, 9);
        expect(answerOf(kept)).toStrictEqual([movement]);
      }));

    it('an entry of the processor', () =>
      always(arbitrary.settlements, async (drawn) => {
        const settlement = { ...drawn, paymentId: nextId(), id: `${nextId()}${drawn.id}` };
        await given({ kind: 'putSettlement', settlement });
        const kept = await store().settlements.listByPayment(settlement.paymentId, 9);
        expect(answerOf(kept)).toStrictEqual([settlement]);
      }));

    it('a payout, also when it replaces one', () =>
      always(fc.tuple(arbitrary.payouts, arbitrary.payouts), async ([first, second]) => {
        const id = nextId();
        await given({ kind: 'putPayout', payout: { ...first, id } });
        expect(answerOf(await store().payouts.get(id))).toStrictEqual({ ...first, id });
        await given({ kind: 'putPayout', payout: { ...second, id } });
        const { replacedBy } = first;
        const kept = { ...(replacedBy !== undefined && { replacedBy }), ...second, id };
        expect(answerOf(await store().payouts.get(id))).toStrictEqual(kept);
      }));

    it('a dispute, inserted and updated', () =>
      always(fc.tuple(arbitrary.disputes, arbitrary.disputes), async ([drawn, next]) => {
        const id = `${nextId()}${drawn.id}`;
        await given({ kind: 'insertDispute', dispute: { ...drawn, id } });
        expect(answerOf(await store().disputes.get(id))).toStrictEqual({ ...drawn, id });
        const dispute = { ...next, id };
        await given({ kind: 'updateDispute', dispute, expectedVersion: drawn.version });
        expect(answerOf(await store().disputes.get(id))).toStrictEqual(dispute);
      }));

    it('a review', () =>
      always(arbitrary.reviews, async (drawn) => {
        const review = { ...drawn, id: `${nextId()}${drawn.id}` };
        await given({ kind: 'insertReview', review });
        expect(answerOf(await store().reviews.get(review.id))).toStrictEqual(review);
      }));

    it('a financial account, also when it replaces one', () =>
      always(
        fc.tuple(arbitrary.financialAccounts, arbitrary.financialAccounts),
        async ([first, second]) => {
          const account = { ...second, id: first.id };
          await given({ kind: 'putFinancialAccount', account: first });
          await given({ kind: 'putFinancialAccount', account });
          expect(answerOf(await store().financialAccounts.get(first.id))).toStrictEqual(account);
        },
      ));

    it('a schedule, also when it replaces one', () =>
      always(fc.tuple(arbitrary.schedules, arbitrary.schedules), async ([first, second]) => {
        const schedule = { ...second, id: first.id };
        await given({ kind: 'putSchedule', schedule: first });
        await given({ kind: 'putSchedule', schedule });
        expect(answerOf(await store().schedules.get(first.id))).toStrictEqual(schedule);
      }));

    it('payout preferences, also when they replace others', () =>
      always(
        fc.tuple(arbitrary.payoutPreferences, arbitrary.payoutPreferences),
        async ([first, second]) => {
          const preferences = { ...second, businessId: first.businessId };
          await given({ kind: 'putPayoutPreferences', preferences: first });
          await given({ kind: 'putPayoutPreferences', preferences });
          const kept = answerOf(await store().payoutPreferences.get(first.businessId));
          expect(kept).toStrictEqual(preferences);
        },
      ));

    it('an event that is to be delivered', () =>
      always(keys.events, async (drawn) => {
        const event = { ...drawn, subject: `${nextId()}${drawn.subject}` };
        await given({ kind: 'appendEvent', event });
        const listed = answerOf(await store().events.listDue(event.occurredAt, 1000));
        const kept = listed.find((pending) => pending.event.subject === event.subject);
        expect(kept).toStrictEqual({ event, attempts: 0 });
        expect(JSON.stringify(kept?.event.data)).toBe(JSON.stringify(event.data));
      }));

    it('a barber, also when it replaces one', async () => {
      await given(write.barber());
      const barber = aBarber({ businessId: 'business-2' });
      await given({ kind: 'putBarber', barber });
      expect(answerOf(await store().barbers.get(barber.id))).toStrictEqual(barber);
    });
  });
}

function expectSamePayment(kept: Payment | undefined, expected: Payment): void {
  expect(kept).toStrictEqual(expected);
  // Responses contain these unchanged, so the order of their members counts too (D21).
  expect(JSON.stringify(kept?.appointment)).toBe(JSON.stringify(expected.appointment));
  expect(JSON.stringify(kept?.card)).toBe(JSON.stringify(expected.card));
}
