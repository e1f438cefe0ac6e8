import type { Change, Payment, Read, Store } from '@chairside/core/ports';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as keys from '../arbitraries/keys-and-events.ts';
import * as records from '../arbitraries/records.ts';
import { always, answerOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

interface Write<T> {
  readonly whole: (record: T) => Change;
  readonly update?: (record: T, expectedVersion: number) => Change;
}

/** Every field of every record is returned unchanged. */
export function fieldsContract(suite: StoreSuite): void {
  const { store, nextId, given } = suite;

  /** Writes a record, and another one in its place, and reads each. */
  function itKeepsBoth<T extends { readonly id: string; readonly version?: number }>(
    what: string,
    pairs: fc.Arbitrary<readonly [T, T]>,
    write: Write<T>,
    groupOf: (store: Store) => { get(id: string): Read<T | undefined> },
    expectSame = (kept: T | undefined, record: T) => expect(kept).toStrictEqual(record),
  ): void {
    const { whole: insert, update = insert } = write;
    it(what, () =>
      always(pairs, async ([first, second]) => {
        const id = `${nextId()}${first.id}`;
        const [before, after] = [
          { ...first, id },
          { ...second, id },
        ];
        await given(insert(before));
        expectSame(answerOf(await groupOf(store()).get(id)), before);
        await given(update(after, before.version ?? 0));
        expectSame(answerOf(await groupOf(store()).get(id)), after);
      }),
    );
  }
  const itReplaces: typeof itKeepsBoth = (what, ...how) =>
    itKeepsBoth(`${what}, also when it replaces one`, ...how);
  const itUpdates: typeof itKeepsBoth = (what, ...how) =>
    itKeepsBoth(`${what}, inserted and updated`, ...how);
  const two = <T>(drawn: fc.Arbitrary<T>) => fc.tuple(drawn, drawn);

  describe('keeps every field of', () => {
    itUpdates(
      'a payment',
      records.changedPayments,
      write.payment,
      (of) => of.payments,
      expectSamePayment,
    );

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
      always(records.actors, async (drawn) => {
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
      always(records.terminals, async (drawn) => {
        const unique = nextId();
        const deviceIdentifier = `${unique}${drawn.deviceIdentifier}`;
        const terminal = { ...drawn, id: `${unique}${drawn.id}`, deviceIdentifier };
        await given({ kind: 'insertTerminal', terminal });
        expect(answerOf(await store().terminals.get(terminal.id))).toStrictEqual(terminal);
        const byDevice = await store().terminals.getByDeviceIdentifier(deviceIdentifier);
        expect(answerOf(byDevice)).toStrictEqual(terminal);
      }));

    const { appointments, barbers, businesses, financialAccounts, schedules } = records;
    itReplaces('an appointment', two(appointments), write.appointment, (of) => of.appointments);
    itReplaces('a barber', two(barbers), write.barber, (of) => of.barbers);
    itReplaces('a business', two(businesses), write.business, (of) => of.businesses);
    itReplaces(
      'a financial account',
      two(financialAccounts),
      write.financialAccount,
      (of) => of.financialAccounts,
    );
    itReplaces('a schedule', two(schedules), write.schedule, (of) => of.schedules);
    itReplaces('a payout', records.changedPayouts, write.payout, (of) => of.payouts);
    itUpdates('a setup', records.changedSetups, write.setup, (of) => of.setups);
    itUpdates('a review', two(records.reviews), write.review, (of) => of.reviews);
    itUpdates('a refund', two(records.refunds), write.refund, (of) => of.refunds);
    itUpdates('a dispute', two(records.disputes), write.dispute, (of) => of.disputes);
    itUpdates('a tender', two(records.tenders), write.tender, (of) => of.tenders);
    itUpdates('an entry of a share', two(records.shares), write.share, (of) => of.shares);

    /** Those that can only be listed. */
    function itLists<T extends { readonly id: string }>(
      what: string,
      drawn: fc.Arbitrary<T>,
      write: Write<T>,
      group: 'movements' | 'settlements',
    ): void {
      it(what, () =>
        always(drawn, async (one) => {
          const record = { ...one, paymentId: nextId(), id: `${nextId()}${one.id}` };
          await given(write.whole(record));
          const kept = await store()[group].listByPayment(record.paymentId, 9);
          expect(answerOf<readonly unknown[], unknown>(kept)).toStrictEqual([record]);
        }),
      );
    }
    itLists('a movement', records.movements, write.movement, 'movements');
    itLists('an entry of the processor', records.settlements, write.settlement, 'settlements');

    it('payout preferences, also when they replace others', () =>
      always(
        fc.tuple(records.payoutPreferences, records.payoutPreferences),
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
  });
}

function expectSamePayment(kept: Payment | undefined, expected: Payment): void {
  expect(kept).toStrictEqual(expected);
  // Responses contain these unchanged, so the order of their members counts too (D21).
  expect(JSON.stringify(kept?.appointment)).toBe(JSON.stringify(expected.appointment));
  expect(JSON.stringify(kept?.card)).toBe(JSON.stringify(expected.card));
}
