import {
  type Change,
  type ChangeKind,
  type Commit,
  type EventKey,
  emptyLedger,
  type Payment,
  type PendingEvent,
  type Result,
  type Store,
  type StoreConflict,
  type StoreUnavailable,
  type User,
} from '@chairside/core';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  aBarber,
  aBusiness,
  aFinancialAccount,
  aKeyRecord,
  anAppointment,
  anAppointmentReference,
  anEvent,
  aPayment,
  aPayoutPreferences,
  aProblem,
  aSchedule,
  aSetup,
  aTerminal,
  aUser,
  someTime,
} from '../builders.ts';
import * as arbitrary from './arbitraries.ts';

/** A store to be tested, empty. */
export interface StoreUnderTest {
  readonly store: Store;
  /**
   * Opens the same records again after `store` was closed. Left out by stores that keep them in
   * memory: what is tested with it is skipped then.
   */
  readonly reopen?: () => Promise<Store>;
}

const runs = { numRuns: 40 };
const unavailable: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/**
 * What every implementation of the store port must keep, each promise a test. Call it in a test
 * file of Vitest; the suite closes the stores it was given.
 */
export function storeContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the promises of the store port`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    let commits = 0;

    beforeEach(async () => {
      subject = await makeStore();
      store = subject.store;
    });
    afterEach(() => store.close());

    const nextId = () => `cmt_${++commits}`;
    const commit = (...changes: Change[]) => store.commit({ id: nextId(), at: someTime, changes });
    /** For what a test takes for granted. */
    const given = async (...changes: Change[]) => answerOf(await commit(...changes));
    const insert = (...payments: Payment[]) =>
      given(...payments.map((payment): Change => ({ kind: 'insertPayment', payment })));

    async function refuses(kind: ChangeKind, ...changes: Change[]) {
      const conflict: StoreConflict = { kind: 'storeConflict', change: kind };
      expect(errorOf(await commit(...changes))).toStrictEqual(conflict);
    }

    describe('keeps every field of', () => {
      it('a payment that is inserted', () =>
        always(arbitrary.payments, async (drawn) => {
          const payment = { ...drawn, id: `${nextId()}${drawn.id}` };
          await insert(payment);
          expectSamePayment(answerOf(await store.payments.get(payment.id)), payment);
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
          expectSamePayment(answerOf(await store.payments.get(id)), after);
        }));

      it('a key', () =>
        always(arbitrary.keyRecords, async (drawn) => {
          const record = { ...drawn, subject: `${nextId()}${drawn.subject}` };
          await given({ kind: 'insertKey', record });
          const kept = answerOf(await store.keys.get(record.subject, record.key));
          expect(kept).toStrictEqual(record);
          // It is replayed byte for byte (D21).
          expect(JSON.stringify(kept?.problem)).toBe(JSON.stringify(record.problem));
        }));

      it('a terminal', () =>
        always(arbitrary.terminals, async (drawn) => {
          const unique = nextId();
          const deviceIdentifier = `${unique}${drawn.deviceIdentifier}`;
          const terminal = { ...drawn, id: `${unique}${drawn.id}`, deviceIdentifier };
          await given({ kind: 'insertTerminal', terminal });
          expect(answerOf(await store.terminals.get(terminal.id))).toStrictEqual(terminal);
          const byDevice = await store.terminals.getByDeviceIdentifier(deviceIdentifier);
          expect(answerOf(byDevice)).toStrictEqual(terminal);
        }));

      it('an appointment, also when it replaces one', () =>
        always(
          fc.tuple(arbitrary.appointments, arbitrary.appointments),
          async ([first, second]) => {
            const appointment = { ...second, id: first.id };
            await given({ kind: 'putAppointment', appointment: first });
            await given({ kind: 'putAppointment', appointment });
            const kept = answerOf(await store.appointments.get(first.id));
            expect(kept).toStrictEqual(appointment);
            expect(JSON.stringify(kept?.reference)).toBe(JSON.stringify(appointment.reference));
          },
        ));

      it('a business, also when it replaces one', () =>
        always(fc.tuple(arbitrary.businesses, arbitrary.businesses), async ([first, second]) => {
          const business = { ...second, id: first.id };
          await given({ kind: 'putBusiness', business: first });
          await given({ kind: 'putBusiness', business });
          expect(answerOf(await store.businesses.get(first.id))).toStrictEqual(business);
        }));

      it('a setup, inserted and updated', () =>
        always(fc.tuple(arbitrary.setups, arbitrary.setups), async ([drawn, drawnNext]) => {
          const id = `${nextId()}${drawn.id}`;
          await given({ kind: 'insertSetup', setup: { ...drawn, id } });
          expect(answerOf(await store.setups.get(id))).toStrictEqual({ ...drawn, id });
          const { customerId, savePaymentMethod, createdAt } = drawn;
          const setup = { ...drawnNext, id, customerId, savePaymentMethod, createdAt };
          await given({ kind: 'updateSetup', setup, expectedVersion: drawn.version });
          expect(answerOf(await store.setups.get(id))).toStrictEqual(setup);
        }));

      it('a financial account, also when it replaces one', () =>
        always(
          fc.tuple(arbitrary.financialAccounts, arbitrary.financialAccounts),
          async ([first, second]) => {
            const account = { ...second, id: first.id };
            await given({ kind: 'putFinancialAccount', account: first });
            await given({ kind: 'putFinancialAccount', account });
            expect(answerOf(await store.financialAccounts.get(first.id))).toStrictEqual(account);
          },
        ));

      it('a schedule, also when it replaces one', () =>
        always(fc.tuple(arbitrary.schedules, arbitrary.schedules), async ([first, second]) => {
          const schedule = { ...second, id: first.id };
          await given({ kind: 'putSchedule', schedule: first });
          await given({ kind: 'putSchedule', schedule });
          expect(answerOf(await store.schedules.get(first.id))).toStrictEqual(schedule);
        }));

      it('payout preferences, also when they replace others', () =>
        always(
          fc.tuple(arbitrary.payoutPreferences, arbitrary.payoutPreferences),
          async ([first, second]) => {
            const preferences = { ...second, businessId: first.businessId };
            await given({ kind: 'putPayoutPreferences', preferences: first });
            await given({ kind: 'putPayoutPreferences', preferences });
            const kept = answerOf(await store.payoutPreferences.get(first.businessId));
            expect(kept).toStrictEqual(preferences);
          },
        ));

      it.each([
        ['both channels', aUser()],
        ['a phone', { id: 'user-1', phoneNumber: '+1' }],
        ['an address', { id: 'user-1', emailAddress: 'a@b.example' }],
        ['no channel', { id: 'user-1' }],
      ])('a user with %s, also when it replaces one', async (_channels, user) => {
        await given({ kind: 'putUser', user: aUser({ phoneNumber: '+2' }) });
        await given({ kind: 'putUser', user });
        const { phoneNumber = 'none', emailAddress = 'none' }: User = user;
        const found = [
          await store.users.get(user.id),
          await store.users.getByPhoneNumber(phoneNumber),
          await store.users.getByEmailAddress(emailAddress),
          await store.users.getByPhoneNumber('+2'),
        ].map(answerOf<unknown, unknown>);
        const has = (channel: string) => (channel in user ? user : undefined);
        const expected = [user, has('phoneNumber'), has('emailAddress'), undefined];
        expect(found).toStrictEqual(expected);
      });

      it('an event that is to be delivered', () =>
        always(arbitrary.events, async (drawn) => {
          const event = { ...drawn, subject: `${nextId()}${drawn.subject}` };
          await given({ kind: 'appendEvent', event });
          const listed = answerOf(await store.events.listDue(event.occurredAt, 1000));
          const kept = listed.find((pending) => pending.event.subject === event.subject);
          expect(kept).toStrictEqual({ event, attempts: 0 });
          expect(JSON.stringify(kept?.event.data)).toBe(JSON.stringify(event.data));
        }));

      it('a barber, also when it replaces one', async () => {
        await given({ kind: 'putBarber', barber: aBarber() });
        const barber = aBarber({ businessId: 'business-2' });
        await given({ kind: 'putBarber', barber });
        expect(answerOf(await store.barbers.get(barber.id))).toStrictEqual(barber);
      });
    });

    it('answers undefined, zero or nothing for what is not there', async () => {
      expect(answerOf(await store.payments.get('no'))).toBeUndefined();
      expect(answerOf(await store.keys.get('no', 'no'))).toBeUndefined();
      expect(answerOf(await store.terminals.get('no'))).toBeUndefined();
      expect(answerOf(await store.terminals.getByDeviceIdentifier('no'))).toBeUndefined();
      expect(answerOf(await store.appointments.get('no'))).toBeUndefined();
      expect(answerOf(await store.barbers.get('no'))).toBeUndefined();
      expect(answerOf(await store.businesses.get('no'))).toBeUndefined();
      expect(answerOf(await store.setups.get('no'))).toBeUndefined();
      expect(answerOf(await store.financialAccounts.get('no'))).toBeUndefined();
      expect(answerOf(await store.schedules.get('no'))).toBeUndefined();
      expect(answerOf(await store.payoutPreferences.get('no'))).toBeUndefined();
      expect(answerOf(await store.users.get('no'))).toBeUndefined();
      expect(answerOf(await store.users.getByPhoneNumber('no'))).toBeUndefined();
      expect(answerOf(await store.users.getByEmailAddress('no'))).toBeUndefined();
      expect(answerOf(await store.processorEvents.has('no'))).toBe(false);
      expect(answerOf(await store.events.listDue(someTime, 10))).toStrictEqual([]);
      expect(answerOf(await store.events.listDead(10))).toStrictEqual([]);
      expect(answerOf(await store.setups.listDue(someTime, 10))).toStrictEqual([]);
      expect(answerOf(await store.sweeps.listStale(someTime, 10))).toStrictEqual([]);
      expect(answerOf(await store.ledgers.get('no'))).toStrictEqual(emptyLedger('no'));
      expect(answerOf(await store.payments.listByAppointment('no', 10))).toStrictEqual([]);
      expect(answerOf(await store.payments.listDue(someTime, 10))).toStrictEqual([]);
      expect(answerOf(await store.terminals.listByBarber('no', 10))).toStrictEqual([]);
      expect(answerOf(await store.wasCommitted('no'))).toBe(false);
    });

    it('tells ids apart that differ in case, accent, space or script', async () => {
      const ids = ['a', 'A', 'a ', ' a', 'ä', 'a\u0308', '\u{1F600}', '\u{1F601}', `'"`, `''`, '%'];
      await insert(...ids.map((id) => aPayment({ id, review: `review of ${id}` })));
      for (const id of ids) {
        expect(answerOf(await store.payments.get(id))?.review).toBe(`review of ${id}`);
      }
    });

    it('takes ids of 255 code points', async () => {
      const id = '\u{1F600}'.repeat(255);
      const record = aKeyRecord({ subject: id, key: id, resourceId: id });
      await insert(aPayment({ id, appointment: anAppointmentReference({ id }) }));
      await given({ kind: 'insertKey', record });
      expect(answerOf(await store.payments.get(id))?.id).toBe(id);
      expect(answerOf(await store.payments.listByAppointment(id, 1))[0]?.id).toBe(id);
      expect(answerOf(await store.keys.get(id, id))).toStrictEqual(record);
    });

    it('keeps what it was given, whatever becomes of the value', async () => {
      const spokenLanguages = ['de'];
      const appointment = anAppointmentReference({
        barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow', spokenLanguages },
      });
      await insert(aPayment({ appointment }));
      spokenLanguages.push('fr');
      const kept = answerOf(await store.payments.get('cpm_1'));
      expect(kept?.appointment.barber.spokenLanguages).toStrictEqual(['de']);
    });

    describe('refuses, and names,', () => {
      const record = aKeyRecord();
      const payment = aPayment({ version: 3 });
      const terminal = aTerminal();
      const event = anEvent();
      const setup = aSetup({ version: 3 });
      const account = aFinancialAccount();
      const schedule = aSchedule();
      const user = aUser();
      const second = anEvent({ version: 2 });
      const key = { subject: event.subject, version: 1 };
      const deliverAt = someTime;
      const append: Change = { kind: 'appendEvent', event };
      const appendNext: Change = { kind: 'appendEvent', event: second };
      const lease: Change = { kind: 'leaseEvent', ...key, attempts: 0, deliverAt };
      const bury: Change = { kind: 'postponeEvent', ...key };
      const finishKey: Change = { kind: 'finishKey', ...record, problem: aProblem() };
      const cases: readonly [when: string, given: readonly Change[], refused: Change][] = [
        [
          'a key that the subject has',
          [{ kind: 'insertKey', record }],
          { kind: 'insertKey', record: { ...record, fingerprint: '0'.repeat(64) } },
        ],
        [
          'a second problem for a key',
          [{ kind: 'insertKey', record }, finishKey],
          { ...finishKey, problem: aProblem({ id: 'prb_2' }) },
        ],
        ['a problem for no key', [], finishKey],
        [
          'a payment whose id is taken',
          [{ kind: 'insertPayment', payment }],
          { kind: 'insertPayment', payment: { ...payment, state: 'failed' } },
        ],
        [
          'an update from an older version',
          [{ kind: 'insertPayment', payment }],
          { kind: 'updatePayment', payment, expectedVersion: 2 },
        ],
        [
          'an update from a newer version',
          [{ kind: 'insertPayment', payment }],
          { kind: 'updatePayment', payment, expectedVersion: 4 },
        ],
        ['an update of nothing', [], { kind: 'updatePayment', payment, expectedVersion: 3 }],
        [
          'a removal of another version',
          [{ kind: 'insertPayment', payment }],
          { kind: 'deletePayment', id: payment.id, expectedVersion: 2 },
        ],
        [
          'a removal of no payment',
          [],
          { kind: 'deletePayment', id: payment.id, expectedVersion: 3 },
        ],
        [
          'a second event of a version',
          [{ kind: 'appendEvent', event }],
          { kind: 'appendEvent', event: { ...event, type: 'contactlessPayment.failed' } },
        ],
        [
          'a terminal whose id is taken',
          [{ kind: 'insertTerminal', terminal }],
          { kind: 'insertTerminal', terminal: { ...terminal, deviceIdentifier: 'other' } },
        ],
        [
          'a device that is registered',
          [{ kind: 'insertTerminal', terminal }],
          { kind: 'insertTerminal', terminal: { ...terminal, id: 'trm_2', barberId: 'other' } },
        ],
        ['a removal of no terminal', [], { kind: 'deleteTerminal', id: terminal.id }],
        ['to take up no event', [], lease],
        ['to take up an event again', [append, lease], lease],
        ['to take up what waits for another', [append, appendNext], { ...lease, version: 2 }],
        ['to take up a dead letter', [append, bury], lease],
        ['to postpone no event', [], { kind: 'postponeEvent', ...key, deliverAt }],
        ['to bury no event', [], bury],
        ['to revive no event', [], { kind: 'reviveEvent', ...key, deliverAt }],
        ['to revive what is not dead', [append], { kind: 'reviveEvent', ...key, deliverAt }],
        [
          'to postpone what another took up since',
          [append, lease, { ...lease, attempts: 1 }],
          { kind: 'postponeEvent', ...key, attempts: 1, deliverAt },
        ],
        [
          'to remove what another took up since',
          [append, lease, { ...lease, attempts: 1 }],
          { kind: 'removeEvent', ...key, attempts: 1, deliverAt },
        ],
        ['to remove no event', [], { kind: 'removeEvent', ...key, deliverAt }],
        [
          'to remove what waits for another',
          [append, appendNext],
          { kind: 'removeEvent', ...key, version: 2, deliverAt },
        ],
        [
          'a message of the processor that took effect',
          [{ kind: 'insertProcessorEvent', id: 'evt_1', at: someTime }],
          { kind: 'insertProcessorEvent', id: 'evt_1', at: someTime + 1 },
        ],
        [
          'a setup whose id is taken',
          [{ kind: 'insertSetup', setup }],
          { kind: 'insertSetup', setup: { ...setup, customerId: 'other' } },
        ],
        [
          'an update of a setup from another version',
          [{ kind: 'insertSetup', setup }],
          { kind: 'updateSetup', setup, expectedVersion: 2 },
        ],
        ['an update of no setup', [], { kind: 'updateSetup', setup, expectedVersion: 3 }],
        [
          'a removal of another version of a setup',
          [{ kind: 'insertSetup', setup }],
          { kind: 'deleteSetup', id: setup.id, expectedVersion: 2 },
        ],
        ['a removal of no setup', [], { kind: 'deleteSetup', id: setup.id, expectedVersion: 3 }],
        [
          'a removal of no financial account',
          [],
          { kind: 'deleteFinancialAccount', businessId: account.businessId, id: account.id },
        ],
        [
          "a removal of another's financial account",
          [{ kind: 'putFinancialAccount', account }],
          { kind: 'deleteFinancialAccount', businessId: 'other', id: account.id },
        ],
        [
          'a removal of the default financial account',
          [{ kind: 'putFinancialAccount', account: { ...account, isDefault: true } }],
          { kind: 'deleteFinancialAccount', businessId: account.businessId, id: account.id },
        ],
        [
          'a removal of no schedule',
          [],
          { kind: 'deleteSchedule', barberId: schedule.barberId, id: schedule.id },
        ],
        [
          "a removal of another's schedule",
          [{ kind: 'putSchedule', schedule }],
          { kind: 'deleteSchedule', barberId: 'other', id: schedule.id },
        ],
        [
          'a phone number that another user has',
          [{ kind: 'putUser', user }],
          { kind: 'putUser', user: aUser({ id: 'other', emailAddress: 'other' }) },
        ],
        [
          'an email address that another user has',
          [{ kind: 'putUser', user }],
          { kind: 'putUser', user: aUser({ id: 'other', phoneNumber: 'other' }) },
        ],
        ['a payment too many', [], ledgerMove({ openPayments: 2, maxOpenPayments: 1 })],
        [
          'a payment too many beside those that are open',
          [ledgerMove({ openPayments: 2 })],
          ledgerMove({ openPayments: 1, maxOpenPayments: 2 }),
        ],
        [
          'a cent too much',
          [ledgerMove({ capturedMinor: 40n, reservedMinor: 30n })],
          ledgerMove({ reservedMinor: 31n, maxCommittedMinor: 100n }),
        ],
        [
          'a first cent too much',
          [],
          ledgerMove({ capturedMinor: 51n, reservedMinor: 50n, maxCommittedMinor: 100n }),
        ],
      ];

      it.each(cases)('%s', async (_when, changes, refused) => {
        await given(...changes);
        const before = await recordsOf(store);
        await refuses(refused.kind, refused);
        // Whatever came before it in the commit goes with it.
        await refuses(refused.kind, ...oneOfEachKind, refused);
        expect(await recordsOf(store)).toStrictEqual(before);
      });
    });

    it('names the first condition that failed', () =>
      refuses(
        'deleteTerminal',
        { kind: 'putBarber', barber: aBarber() },
        { kind: 'deleteTerminal', id: 'no' },
        { kind: 'deletePayment', id: 'no', expectedVersion: 1 },
      ));

    it('checks a condition against the changes before it in the same commit', async () => {
      const payment = aPayment();
      await refuses(
        'insertPayment',
        { kind: 'insertPayment', payment },
        { kind: 'insertPayment', payment },
      );
      expect(answerOf(await store.payments.get(payment.id))).toBeUndefined();
      const second = { ...payment, version: 2 };
      await given(
        { kind: 'insertPayment', payment },
        { kind: 'updatePayment', payment: second, expectedVersion: 1 },
      );
      expect(answerOf(await store.payments.get(payment.id))?.version).toBe(2);
    });

    it('lets one of 100 writers of the same version win', async () => {
      await insert(aPayment());
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, writer) =>
          commit(
            {
              kind: 'updatePayment',
              payment: aPayment({ version: 2, review: `${writer}` }),
              expectedVersion: 1,
            },
            { kind: 'appendEvent', event: anEvent({ version: 2 }) },
          ),
        ),
      );
      const won = answers.flatMap((answer, writer) => (answer.isOk() ? [`${writer}`] : []));
      expect(won).toHaveLength(1);
      expect(answerOf(await store.payments.get('cpm_1'))?.review).toBe(won[0]);
      for (const lost of answers.filter((answer) => answer.isErr())) {
        expect(errorOf(lost)).toStrictEqual({ kind: 'storeConflict', change: 'updatePayment' });
      }
    });

    it('gives one of 100 claims the key', async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, claim) =>
          commit({ kind: 'insertKey', record: aKeyRecord({ resourceId: `cpm_${claim}` }) }),
        ),
      );
      const won = answers.flatMap((answer, claim) => (answer.isOk() ? [`cpm_${claim}`] : []));
      expect(won).toHaveLength(1);
      expect(answerOf(await store.keys.get('user-1', 'key-1'))?.resourceId).toBe(won[0]);
    });

    describe('a ledger', () => {
      it('does sums exactly as they are done by hand', () =>
        always(fc.array(moves(true), { maxLength: 12 }), async (drawn) => {
          const appointmentId = nextId();
          let expected = emptyLedger(appointmentId);
          for (const move of drawn) {
            const after = {
              appointmentId,
              capturedMinor: expected.capturedMinor + move.capturedMinor,
              reservedMinor: expected.reservedMinor + move.reservedMinor,
              openPayments: expected.openPayments + move.openPayments,
            };
            if (after.openPayments < 0 || after.reservedMinor < 0n || after.capturedMinor < 0n)
              continue;
            const { maxOpenPayments = Infinity, maxCommittedMinor = 10n ** 18n } = move;
            const fits =
              after.openPayments <= maxOpenPayments &&
              after.capturedMinor + after.reservedMinor <= maxCommittedMinor;
            const answer = await commit({ ...move, kind: 'moveLedger', appointmentId });
            expect(answer.isOk()).toBe(fits);
            if (fits) expected = after;
            expect(answerOf(await store.ledgers.get(appointmentId))).toStrictEqual(expected);
          }
        }));

      it('never exceeds its bounds, however many move it at once', () =>
        always(fc.array(moves(false), { minLength: 2, maxLength: 20 }), async (drawn) => {
          const appointmentId = nextId();
          const bounds = { maxOpenPayments: 5, maxCommittedMinor: 10_000n };
          const answers = await Promise.all(
            drawn.map((move) => commit({ ...move, ...bounds, kind: 'moveLedger', appointmentId })),
          );
          const applied = drawn.filter((_, index) => answers[index]?.isOk());
          const total = answerOf(await store.ledgers.get(appointmentId));
          expect(total).toStrictEqual({
            appointmentId,
            capturedMinor: applied.reduce((sum, move) => sum + move.capturedMinor, 0n),
            reservedMinor: applied.reduce((sum, move) => sum + move.reservedMinor, 0n),
            openPayments: applied.reduce((sum, move) => sum + move.openPayments, 0),
          });
          expect(total.openPayments).toBeLessThanOrEqual(5);
          expect(total.capturedMinor + total.reservedMinor <= 10_000n).toBe(true);
        }));

      it('may be filled to its bounds, and not beyond', async () => {
        const bounds = { maxOpenPayments: 1, maxCommittedMinor: 999_999_999_999_999n };
        await given(
          ledgerMove({ ...bounds, openPayments: 1, capturedMinor: 999_999_999_999_998n }),
        );
        await given(ledgerMove({ ...bounds, reservedMinor: 1n }));
        await refuses('moveLedger', ledgerMove({ ...bounds, reservedMinor: 1n }));
        await refuses('moveLedger', ledgerMove({ ...bounds, openPayments: 1 }));
        expect(answerOf(await store.ledgers.get('appointment-1'))).toStrictEqual({
          appointmentId: 'appointment-1',
          capturedMinor: 999_999_999_999_998n,
          reservedMinor: 1n,
          openPayments: 1,
        });
      });
    });

    describe('a commit', () => {
      const move = ledgerMove({ openPayments: 1 });

      it('has one effect, however often it is sent', async () => {
        const once: Commit = { id: nextId(), at: someTime, changes: [move] };
        answerOf(await store.commit(once));
        answerOf(await store.commit(once));
        const again = await Promise.all(Array.from({ length: 10 }, () => store.commit(once)));
        again.map(answerOf);
        expect(answerOf(await store.ledgers.get('appointment-1')).openPayments).toBe(1);
      });

      it('that was refused may succeed later under its id', async () => {
        const id = nextId();
        const changes: Change[] = [move, { kind: 'deleteTerminal', id: 'trm_1' }];
        expect((await store.commit({ id, at: someTime, changes })).isErr()).toBe(true);
        expect(answerOf(await store.wasCommitted(id))).toBe(false);
        await given({ kind: 'insertTerminal', terminal: aTerminal() });
        answerOf(await store.commit({ id, at: someTime, changes }));
        expect(answerOf(await store.wasCommitted(id))).toBe(true);
        expect(answerOf(await store.ledgers.get('appointment-1')).openPayments).toBe(1);
      });

      it('without changes is remembered', async () => {
        const id = nextId();
        answerOf(await store.commit({ id, at: someTime, changes: [] }));
        expect(answerOf(await store.wasCommitted(id))).toBe(true);
      });

      it('is seen whole by every read after it', async () => {
        for (let version = 1; version <= 20; version += 1) {
          const payment = aPayment({ id: 'cpm_seen', version, nextCheckAt: someTime });
          const { id, appointment } = payment;
          await given(
            version === 1
              ? { kind: 'insertPayment', payment }
              : { kind: 'updatePayment', payment, expectedVersion: version - 1 },
          );
          expect(answerOf(await store.payments.get(id))?.version).toBe(version);
          const listed = answerOf(await store.payments.listByAppointment(appointment.id, 9));
          expect(listed.map((found) => found.version)).toStrictEqual([version]);
          const due = answerOf(await store.payments.listDue(someTime, 9));
          expect(due.map((found) => found.version)).toStrictEqual([version]);
        }
      });
    });

    describe('lists', () => {
      const minutes = [3, 1, 5, 2, 4];

      it("an appointment's newest payments, oldest first", async () => {
        await insert(
          ...minutes.map((minute) => aPayment({ id: `${minute}`, createdAt: someTime + minute })),
          aPayment({ id: 'other', appointment: anAppointmentReference({ id: 'other' }) }),
        );
        const list = async (limit: number) =>
          answerOf(await store.payments.listByAppointment('appointment-1', limit)).map(idOf);
        expect(await list(3)).toStrictEqual(['3', '4', '5']);
        expect(await list(9)).toStrictEqual(['1', '2', '3', '4', '5']);
        expect(await list(0)).toStrictEqual([]);
      });

      it('payments that are due, the longest overdue first', async () => {
        await insert(
          ...minutes.map((minute) => aPayment({ id: `${minute}`, nextCheckAt: someTime + minute })),
          aPayment({ id: 'never' }),
        );
        const list = async (at: number, limit: number) =>
          answerOf(await store.payments.listDue(someTime + at, limit)).map(idOf);
        expect(await list(9, 3)).toStrictEqual(['1', '2', '3']);
        expect(await list(9, 9)).toStrictEqual(['1', '2', '3', '4', '5']);
        expect(await list(2, 9)).toStrictEqual(['1', '2']);
        expect(await list(0, 9)).toStrictEqual([]);
        expect(await list(9, 0)).toStrictEqual([]);
      });

      it('a payment as due when its last change says so', async () => {
        const later = someTime + 1000;
        await insert(aPayment({ nextCheckAt: someTime }));
        const update = (expectedVersion: number, over: Partial<Payment>): Change => {
          const payment = aPayment({ version: expectedVersion + 1, ...over });
          return { kind: 'updatePayment', expectedVersion, payment };
        };
        await given(update(1, { nextCheckAt: later }));
        expect(answerOf(await store.payments.listDue(someTime, 9))).toStrictEqual([]);
        expect(answerOf(await store.payments.listDue(later, 9))).toHaveLength(1);
        await given(update(2, {}));
        expect(answerOf(await store.payments.listDue(later, 9))).toStrictEqual([]);
      });

      it("a barber's newest terminals, oldest first", async () => {
        const terminals = minutes.map((minute) => {
          const name = `${minute}`;
          return aTerminal({ id: name, deviceIdentifier: name, createdAt: someTime + minute });
        });
        const other = aTerminal({ id: 'o', deviceIdentifier: 'o', barberId: 'other' });
        await given(
          ...[...terminals, other].map(
            (terminal): Change => ({ kind: 'insertTerminal', terminal }),
          ),
        );
        const list = async (limit: number) =>
          answerOf(await store.terminals.listByBarber('barber-1', limit)).map(idOf);
        expect(await list(3)).toStrictEqual(['3', '4', '5']);
        expect(await list(9)).toStrictEqual(['1', '2', '3', '4', '5']);
        expect(await list(0)).toStrictEqual([]);
      });
    });

    describe('an event', () => {
      const at = (version: number) => ({ subject: 'cpm_1', version });
      const append = (version: number, subject = 'cpm_1'): Change => ({
        kind: 'appendEvent',
        event: anEvent({ subject, version, occurredAt: someTime + version }),
      });
      const take = (version: number, attempts: number, deliverAt: number): Change => ({
        kind: 'leaseEvent',
        ...at(version),
        attempts,
        deliverAt,
      });
      const named = ({ event, attempts }: PendingEvent) =>
        `${event.subject} ${event.version} attempts ${attempts}`;
      const due = async (now: number, limit = 9) =>
        answerOf(await store.events.listDue(now, limit)).map(named);
      const dead = async (limit = 9, after?: EventKey) =>
        answerOf(await store.events.listDead(limit, after)).map(named);
      const long = someTime + 1_000_000;

      it('is due at once, after those of its subject before it, the longest due first', async () => {
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

      it('that is taken up is due again only when its lease is over', async () => {
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

      it('that is postponed is tried again, with its attempts counted', async () => {
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

      it('that is dead is listed by subject and version, page by page', async () => {
        const keys = ['c', 'a', 'b'].flatMap((subject) =>
          [2, 1].map((version) => ({ subject, version })),
        );
        await given(
          ...keys.map(({ subject, version }) => append(version, subject)),
          append(1, 'd'),
        );
        await given(...keys.map((key): Change => ({ kind: 'postponeEvent', ...key })));
        const inOrder = ['a 1', 'a 2', 'b 1', 'b 2', 'c 1', 'c 2'].map(
          (key) => `${key} attempts 0`,
        );
        expect(await dead()).toStrictEqual(inOrder);
        expect(await dead(3)).toStrictEqual(inOrder.slice(0, 3));
        const page = await dead(3, { subject: 'b', version: 1 });
        expect(page).toStrictEqual(inOrder.slice(3, 6));
        expect(await dead(3, { subject: 'c', version: 2 })).toStrictEqual([]);
      });

      it('that nobody took is forgotten after a while, and no other', async () => {
        const forget = (eventsBefore: number, limit: number): Change => ({
          kind: 'forget',
          now: long,
          commitsBefore: 0,
          processorEventsBefore: 0,
          eventsBefore,
          limit,
        });
        await given(append(1), append(2), append(3), append(4));
        await given(forget(someTime + 3, 1));
        // What stood behind it is due since it occurred.
        expect(await due(long)).toStrictEqual(['cpm_1 2 attempts 0']);
        await given(forget(someTime + 3, 9));
        expect(await due(long)).toStrictEqual(['cpm_1 3 attempts 0']);
        await given(take(3, 0, long), forget(someTime + 4, 9));
        expect(await due(long)).toStrictEqual(['cpm_1 3 attempts 1']);
        // A dead letter stays, and so does what waits behind it.
        await given({ kind: 'postponeEvent', ...at(3) }, forget(long, 9));
        expect(await dead()).toStrictEqual(['cpm_1 3 attempts 1']);
        // Asked for once more, it has its whole time again.
        await given({ kind: 'reviveEvent', ...at(3), deliverAt: long }, forget(long, 9));
        expect(await due(long)).toStrictEqual(['cpm_1 3 attempts 0']);
        await given({ kind: 'removeEvent', ...at(3), deliverAt: long });
        expect(await due(long)).toStrictEqual(['cpm_1 4 attempts 0']);
      });
    });

    it('remembers a message of the processor until it is told to forget', async () => {
      await given(
        { kind: 'insertProcessorEvent', id: 'old', at: someTime - 1 },
        { kind: 'insertProcessorEvent', id: 'new', at: someTime },
      );
      const has = async (id: string) => answerOf(await store.processorEvents.has(id));
      expect([await has('old'), await has('new')]).toStrictEqual([true, true]);
      const before = { commitsBefore: 0, processorEventsBefore: someTime, eventsBefore: 0 };
      await given({ kind: 'forget', now: someTime, ...before, limit: 9 });
      expect([await has('old'), await has('new')]).toStrictEqual([false, true]);
    });

    it('lists setups that are due, the longest overdue first, until they are removed', async () => {
      const setups = [3, 1, 2].map((minute) =>
        aSetup({ id: `${minute}`, nextCheckAt: someTime + minute }),
      );
      await given(...setups.map((setup): Change => ({ kind: 'insertSetup', setup })));
      const list = async (at: number, limit: number) =>
        answerOf(await store.setups.listDue(someTime + at, limit)).map(idOf);
      expect(await list(9, 9)).toStrictEqual(['1', '2', '3']);
      expect(await list(9, 2)).toStrictEqual(['1', '2']);
      expect(await list(2, 9)).toStrictEqual(['1', '2']);
      await given({ kind: 'deleteSetup', id: '1', expectedVersion: 1 });
      expect(await list(9, 9)).toStrictEqual(['2', '3']);
      expect(answerOf(await store.setups.get('1'))).toBeUndefined();
    });

    it('lists the accounts of payments, the one tried longest ago first', async () => {
      const stale = async (limit: number, before = someTime + 99) =>
        answerOf(await store.sweeps.listStale(before, limit)).map(
          ({ account, sweptBefore }) => `${account} ${sweptBefore - someTime}`,
        );
      await insert(
        aPayment({ id: '1', account: 'b', createdAt: someTime + 5 }),
        aPayment({ id: '2', account: 'a', createdAt: someTime + 6 }),
        aPayment({ id: '3', account: 'b', createdAt: someTime + 7 }),
      );
      await given({ kind: 'deletePayment', id: '2', expectedVersion: 1 });
      expect(await stale(9)).toStrictEqual(['b 5', 'a 6']);
      const put = (account: string, sweptBefore: number, triedAt: number) =>
        given({
          kind: 'putSweep',
          swept: { account, sweptBefore: someTime + sweptBefore, triedAt: someTime + triedAt },
        });
      await put('b', 8, 9);
      expect(await stale(9)).toStrictEqual(['a 6', 'b 8']);
      expect(await stale(1)).toStrictEqual(['a 6']);
      await put('a', 6, 10);
      expect(await stale(9)).toStrictEqual(['b 8', 'a 6']);
      expect(await stale(9, someTime + 7)).toStrictEqual(['a 6']);
      expect(answerOf(await store.sweeps.listStale(someTime + 99, 1))).toStrictEqual([
        { account: 'b', sweptBefore: someTime + 8, triedAt: someTime + 9 },
      ]);
    });

    it('has one default financial account a business', async () => {
      const put = (id: string, over: object = {}) =>
        given({ kind: 'putFinancialAccount', account: aFinancialAccount({ id, ...over }) });
      const isDefault = async (id: string) =>
        answerOf(await store.financialAccounts.get(id))?.isDefault;
      await put('theirs', { businessId: 'other', isDefault: true });
      await put('1', { isDefault: true });
      await put('2', { isDefault: true });
      await put('2', { isDefault: true });
      expect(await isDefault('1')).toBe(false);
      expect(await isDefault('2')).toBe(true);
      expect(await isDefault('theirs')).toBe(true);
      await given({ kind: 'deleteFinancialAccount', businessId: 'business-1', id: '1' });
      expect(await isDefault('1')).toBeUndefined();
    });

    it('removes a schedule of its barber', async () => {
      await given({ kind: 'putSchedule', schedule: aSchedule() });
      await given({ kind: 'deleteSchedule', barberId: 'barber-1', id: 'schedule-1' });
      expect(answerOf(await store.schedules.get('schedule-1'))).toBeUndefined();
    });

    it('lets users share nothing but the lack of a channel', async () => {
      await given(
        { kind: 'putUser', user: { id: '1' } },
        { kind: 'putUser', user: { id: '2' } },
        { kind: 'putUser', user: { id: '1', phoneNumber: '+1' } },
        { kind: 'putUser', user: { id: '1' } },
        { kind: 'putUser', user: { id: '2', phoneNumber: '+1' } },
      );
      expect(answerOf(await store.users.getByPhoneNumber('+1'))?.id).toBe('2');
    });

    describe('forgets', () => {
      const forget = (over: object): Change => ({
        kind: 'forget',
        now: someTime,
        commitsBefore: 0,
        processorEventsBefore: 0,
        eventsBefore: 0,
        limit: 100,
        ...over,
      });
      const keyOf = async (key: string) => answerOf(await store.keys.get('user-1', key));

      it('keys without a payment when their time has come, and no others', async () => {
        const records = [
          aKeyRecord({ key: 'past', forgetAt: someTime - 1 }),
          aKeyRecord({ key: 'now', forgetAt: someTime }),
          aKeyRecord({ key: 'future', forgetAt: someTime + 1 }),
          aKeyRecord({ key: 'never' }),
          aKeyRecord({ key: 'paid', forgetAt: someTime - 1, resourceId: 'cpm_1' }),
        ];
        await given(...records.map((record): Change => ({ kind: 'insertKey', record })));
        await given(forget({}));
        expect(await keyOf('past')).toBeUndefined();
        expect(await keyOf('now')).toBeUndefined();
        for (const key of ['future', 'never', 'paid']) expect(await keyOf(key)).toBeDefined();
      });

      it('ids of commits that were written before a time, and no others', async () => {
        const written = async (id: string, at: number) =>
          answerOf(await store.commit({ id, at, changes: [] }));
        // By a clock that was ahead: it holds up nothing that comes after it.
        await written('ahead', someTime + 1);
        await written('older', someTime - 2);
        await written('old', someTime - 1);
        await written('then', someTime);
        await given(forget({ commitsBefore: someTime }));
        expect(answerOf(await store.wasCommitted('older'))).toBe(false);
        expect(answerOf(await store.wasCommitted('old'))).toBe(false);
        expect(answerOf(await store.wasCommitted('then'))).toBe(true);
        expect(answerOf(await store.wasCommitted('ahead'))).toBe(true);
      });

      it('no more than the limit of each at a time', async () => {
        const names = ['1', '2', '3', '4', '5'];
        for (const name of names) {
          const record = aKeyRecord({ key: name, forgetAt: someTime });
          const changes: Change[] = [{ kind: 'insertKey', record }];
          answerOf(await store.commit({ id: name, at: someTime - 1, changes }));
        }
        const left = async () => {
          const keys = await Promise.all(names.map(keyOf));
          const ids = await Promise.all(names.map((name) => store.wasCommitted(name)));
          return [keys.filter((key) => key !== undefined).length, ids.filter(answerOf).length];
        };
        const bounded = forget({ commitsBefore: someTime, limit: 2 });
        for (const expected of [3, 1, 0, 0]) {
          await given(bounded);
          expect(await left()).toStrictEqual([expected, expected]);
        }
      });

      it('all keys of a payment at once, and no others', async () => {
        const records = [
          aKeyRecord({ key: '1', resourceId: 'cpm_1' }),
          aKeyRecord({ key: '2', resourceId: 'cpm_1', problem: aProblem() }),
          aKeyRecord({ key: '3', resourceId: 'cpm_2' }),
          aKeyRecord({ key: '4' }),
        ];
        await given(...records.map((record): Change => ({ kind: 'insertKey', record })));
        await given({ kind: 'deleteKeys', resourceId: 'cpm_1' });
        expect(await keyOf('1')).toBeUndefined();
        expect(await keyOf('2')).toBeUndefined();
        expect(await keyOf('3')).toBeDefined();
        expect(await keyOf('4')).toBeDefined();
        await given({ kind: 'deleteKeys', resourceId: 'cpm_1' });
      });
    });

    it('lets an id or device that was removed be used again', async () => {
      const payment = aPayment();
      const terminal = aTerminal();
      await given({ kind: 'insertPayment', payment }, { kind: 'insertTerminal', terminal });
      await given(
        { kind: 'deletePayment', id: payment.id, expectedVersion: 1 },
        { kind: 'deleteTerminal', id: terminal.id },
      );
      expect(answerOf(await store.payments.get(payment.id))).toBeUndefined();
      expect(answerOf(await store.terminals.get(terminal.id))).toBeUndefined();
      await given({ kind: 'insertPayment', payment }, { kind: 'insertTerminal', terminal });
    });

    it('lets a host replace a group by spreading', async () => {
      const mine: Store = { ...store, barbers: { get: store.barbers.get } };
      await given({ kind: 'putBarber', barber: aBarber() });
      expect(answerOf(await mine.barbers.get('barber-1'))).toStrictEqual(aBarber());
      answerOf(await mine.commit({ id: nextId(), at: someTime, changes: [] }));
    });

    it('answers the same, byte for byte, after it was opened again', async ({ skip }) => {
      const { reopen } = subject;
      if (reopen === undefined) return skip('this store keeps its records in memory');
      await given(...oneOfEachKind);
      const id = nextId();
      answerOf(await store.commit({ id, at: someTime, changes: [] }));
      const before = JSON.stringify(await recordsOf(store));
      await store.close();
      store = await reopen();
      expect(JSON.stringify(await recordsOf(store))).toBe(before);
      expect(answerOf(await store.wasCommitted(id))).toBe(true);
    });

    it('finishes what was sent before it closes', async ({ skip }) => {
      const sent = Array.from({ length: 20 }, () => commit(ledgerMove({ openPayments: 1 })));
      await store.close();
      for (const answer of await Promise.all(sent)) expect(answer.isOk()).toBe(true);
      const { reopen } = subject;
      if (reopen === undefined) return skip('this store keeps its records in memory');
      store = await reopen();
      expect(answerOf(await store.ledgers.get('appointment-1')).openPayments).toBe(20);
    });

    it('answers storeUnavailable after it was closed, and closes again', async () => {
      await store.close();
      await store.close();
      const answers = await Promise.all([
        commit({ kind: 'putBarber', barber: aBarber() }),
        store.wasCommitted('no'),
        store.payments.get('no'),
        store.payments.listByAppointment('no', 1),
        store.payments.listDue(someTime, 1),
        store.keys.get('no', 'no'),
        store.ledgers.get('no'),
        store.terminals.get('no'),
        store.terminals.getByDeviceIdentifier('no'),
        store.terminals.listByBarber('no', 1),
        store.appointments.get('no'),
        store.barbers.get('no'),
        store.businesses.get('no'),
        store.events.listDue(someTime, 1),
        store.events.listDead(1),
        store.processorEvents.has('no'),
        store.setups.get('no'),
        store.setups.listDue(someTime, 1),
        store.sweeps.listStale(someTime + 99, 1),
        store.financialAccounts.get('no'),
        store.schedules.get('no'),
        store.payoutPreferences.get('no'),
        store.users.get('no'),
        store.users.getByPhoneNumber('no'),
        store.users.getByEmailAddress('no'),
      ]);
      for (const answer of answers)
        expect(errorOf<unknown, unknown>(answer)).toStrictEqual(unavailable);
    });
  });
}

const idOf = ({ id }: { readonly id: string }) => id;

function ledgerMove(over: Partial<Extract<Change, { kind: 'moveLedger' }>>): Change {
  const none = { openPayments: 0, reservedMinor: 0n, capturedMinor: 0n };
  return { kind: 'moveLedger', appointmentId: 'appointment-1', ...none, ...over };
}

/** Moves of either sign, or of increases alone. */
function moves(eitherSign: boolean) {
  const sign = eitherSign ? -1 : 0;
  const amount = fc.bigInt({ min: BigInt(sign) * 3000n, max: 5000n });
  return fc.record(
    {
      openPayments: fc.integer({ min: sign, max: 2 }),
      reservedMinor: amount,
      capturedMinor: amount,
      maxOpenPayments: fc.integer({ min: 0, max: 6 }),
      maxCommittedMinor: fc.bigInt({ min: 0n, max: 20_000n }),
    },
    { requiredKeys: ['openPayments', 'reservedMinor', 'capturedMinor'] },
  );
}

/** A commit that touches every table, under ids of its own with quotes and a smile. */
const oneOfEachKind: readonly Change[] = (() => {
  const id = `\u{1F600} "each" o'kind`;
  const appointment = anAppointmentReference({ id });
  const payment = aPayment({ id, appointment, nextCheckAt: someTime - 1 });
  const problem = aProblem({ detail: '\u{1F600}', attributes: { z: 1, a: [null, { b: 'c' }] } });
  const key = { subject: id, key: id };
  return [
    { kind: 'insertPayment', payment },
    { kind: 'updatePayment', payment: { ...payment, version: 2 }, expectedVersion: 1 },
    { kind: 'insertKey', record: aKeyRecord({ ...key, resourceId: 'none' }) },
    { kind: 'finishKey', ...key, problem },
    { kind: 'deleteKeys', resourceId: 'cpm_1' },
    ledgerMove({ appointmentId: id, openPayments: 1, reservedMinor: 2n, capturedMinor: 3n }),
    { kind: 'appendEvent', event: anEvent({ subject: id }) },
    { kind: 'insertTerminal', terminal: aTerminal({ id, deviceIdentifier: id, barberId: id }) },
    { kind: 'putAppointment', appointment: anAppointment({ id }) },
    { kind: 'putBarber', barber: aBarber({ id }) },
    { kind: 'putBusiness', business: aBusiness({ id }) },
    { kind: 'insertProcessorEvent', id, at: someTime },
    { kind: 'insertSetup', setup: aSetup({ id, nextCheckAt: someTime - 1 }) },
    { kind: 'putSweep', swept: { account: id, sweptBefore: someTime, triedAt: someTime } },
    {
      kind: 'putFinancialAccount',
      account: aFinancialAccount({ id, businessId: id, isDefault: true }),
    },
    { kind: 'putSchedule', schedule: aSchedule({ id }) },
    { kind: 'putPayoutPreferences', preferences: aPayoutPreferences({ businessId: id }) },
    { kind: 'putUser', user: { id, phoneNumber: id, emailAddress: id } },
  ];
})();

/** What can be seen of the records that these tests write. */
async function recordsOf(store: Store) {
  const id = oneOfEachKind[0]?.kind === 'insertPayment' ? oneOfEachKind[0].payment.id : '';
  const read = await Promise.all([
    store.payments.get('cpm_1'),
    store.payments.get(id),
    store.payments.listByAppointment('appointment-1', 9),
    store.payments.listByAppointment(id, 9),
    store.payments.listDue(someTime, 9),
    store.keys.get('user-1', 'key-1'),
    store.keys.get(id, id),
    store.ledgers.get('appointment-1'),
    store.ledgers.get(id),
    store.terminals.get('trm_1'),
    store.terminals.get(id),
    store.terminals.getByDeviceIdentifier('device-1'),
    store.terminals.getByDeviceIdentifier(id),
    store.terminals.listByBarber('barber-1', 9),
    store.appointments.get(id),
    store.barbers.get(id),
    store.businesses.get(id),
    store.events.listDue(someTime, 9),
    store.events.listDead(9),
    store.processorEvents.has(id),
    store.processorEvents.has('evt_1'),
    store.setups.get('pms_1'),
    store.setups.get(id),
    store.setups.listDue(someTime, 9),
    store.sweeps.listStale(someTime + 99, 9),
    store.financialAccounts.get('account-1'),
    store.financialAccounts.get(id),
    store.schedules.get('schedule-1'),
    store.schedules.get(id),
    store.payoutPreferences.get(id),
    store.users.get('user-1'),
    store.users.get(id),
    store.users.getByPhoneNumber(id),
    store.users.getByEmailAddress(id),
  ]);
  // bigint has no JSON, and a missing record no place in it.
  return read.map((answer) =>
    JSON.stringify(answerOf<unknown, unknown>(answer) ?? null, (_, value) =>
      typeof value === 'bigint' ? `${value}n` : value,
    ),
  );
}

function expectSamePayment(kept: Payment | undefined, expected: Payment): void {
  expect(kept).toStrictEqual(expected);
  // These are shown as they were given, so the order of their members counts as well (D21).
  expect(JSON.stringify(kept?.appointment)).toBe(JSON.stringify(expected.appointment));
  expect(JSON.stringify(kept?.card)).toBe(JSON.stringify(expected.card));
}

function always<T>(drawn: fc.Arbitrary<T>, holds: (value: T) => Promise<void>): Promise<void> {
  // fast-check also draws objects without a prototype; a clone is as JSON.parse would make it.
  const property = fc.asyncProperty(drawn, (value) => holds(structuredClone(value)));
  return fc.assert(property, runs);
}

function answerOf<T, E>(result: Result<T, E>): T {
  if (result.isErr()) throw new Error(`The store answered ${JSON.stringify(result.error)}`);
  return result.value;
}

function errorOf<T, E>(result: Result<T, E>): E {
  if (result.isOk()) throw new Error('The store answered ok');
  return result.error;
}
