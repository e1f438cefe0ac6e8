import {
  type ErrorOf,
  type FinancialAccount,
  hourMs,
  okAsync,
  type PayoutPreferences,
  type ResultAsync,
  receiptToText,
  type Schedule,
} from '@chairside/core';
import type { ReceiptDetails } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import { payment, payments, problem, receipt as receiptOf } from '../src/answer.ts';
import { ada, captureInput, host, withProcessor } from '../src/elsewhere.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
} from '../src/shop.ts';
import { describeEverywhere, describeWithEveryProcessor, type World } from '../src/world.ts';

describeWithEveryProcessor(
  'listContactlessPayments, getContactlessPayment',
  ({ it, makeWorld }) => {
    it('show an appointment’s payments, oldest first, in-flight ones included', async (world) => {
      const appointmentId = await givenAppointment(world);
      const list = async () =>
        payments(await world.send('listContactlessPayments', 'ada', { id: appointmentId }));
      expect(await list()).toEqual({ items: [], count: 0 });
      const one = await givenPayment(world, { appointmentId, amount: '10.00' });
      world.clock.advance(5);
      const { payment: two } = await givenCaptured(world, { appointmentId, amount: '20.00' });
      await givenPayment(world);
      expect(await list()).toEqual({ items: [one, two], count: 2 });
      for (const shown of [one, two]) {
        const read = await world.send('getContactlessPayment', 'ada', { id: shown.id });
        expect(payment(read, 200)).toEqual(shown);
      }
    });

    it('never call the processor (D17)', async (world) => {
      const { payment: presented } = await givenPresented(world);
      world.clock.advance(hourMs);
      const before = world.processor.count('readPayment').made;
      const read = await world.send('getContactlessPayment', 'ada', { id: presented.id });
      expect(payment(read, 200).state).toBe('created');
      await world.send('listContactlessPayments', 'ada', { id: presented.appointment.id });
      expect(world.processor.count('readPayment').made).toBe(before);
    });

    it('hide a payment that is not opened yet', async (world) => {
      const appointmentId = await givenAppointment(world);
      world.processor.failNext('openPayment', 'timeoutBeforeApplying');
      problem(await create(world, appointmentId), 'serviceUnavailable');
      const listed = await world.send('listContactlessPayments', 'ada', { id: appointmentId });
      expect(payments(listed).count).toBe(0);
      const held = await world.store.payments.listByAppointment(appointmentId, 10);
      const [{ id = '' } = {}] = held.unwrapOr([]);
      problem(await world.send('getContactlessPayment', 'ada', { id }), 'notFound');
    });

    it('are limited, and state the time of the retry', async () => {
      const minute = { windowMs: 60_000 };
      const world = await makeWorld({
        rateLimits: {
          reads: { ...minute, limit: 1 },
          writes: { ...minute, limit: 60 },
          connectionTokens: { ...minute, limit: 1 },
          challengeMethods: { ...minute, limit: 1 },
          challengeTargets: { ...minute, limit: 1 },
          failedAuthentications: { ...minute, limit: 1 },
        },
      });
      const { id } = await givenPayment(world);
      payment(await world.send('getContactlessPayment', 'ada', { id }), 200);
      const refused = await world.send('getContactlessPayment', 'ada', { id });
      expect(problem(refused, 'tooManyRequests').recovery?.rateLimit).toEqual({
        limit: 1,
        remaining: 0,
        resetsAt: '2026-11-02T09:01:00.000Z',
      });
      problem(await world.send('getContactlessPayment', 'ben', { id }), 'forbidden');
    });
  },
);

type Put = (world: World) => ResultAsync<void, ErrorOf<'putAppointment'>>;

const account: FinancialAccount = {
  id: 'account-1',
  businessId: 'shop',
  bankName: 'Old Town Savings',
  maskedAccountNumber: '*6789',
  currency: 'eur',
  isDefault: true,
};
const schedule: Schedule = {
  id: 'schedule-1',
  barberId: 'ada',
  name: 'Winter',
  hours: [
    { day: 'monday', from: '00:00', to: '23:59' },
    { day: 'monday', from: '09:00', to: '09:01' },
  ],
};
const preferences: PayoutPreferences = {
  businessId: 'shop',
  settings: { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' },
};

const span = { day: 'monday', from: '09:00', to: '17:30' };

// casts below: a host without types may pass any value
const putAccount =
  (over: object): Put =>
  ({ chairside }) =>
    chairside.records.putFinancialAccount({ ...account, ...over } as FinancialAccount); // cast: see above
const putSchedule =
  (over: object): Put =>
  ({ chairside }) =>
    chairside.records.putSchedule({ ...schedule, ...over } as Schedule); // cast: see above
const putPreferences =
  (settings: object): Put =>
  ({ chairside }) =>
    chairside.records.putPayoutPreferences({
      ...preferences,
      settings,
    } as PayoutPreferences); // cast: see above

describeEverywhere('the host’s records', ({ it, makeWorld }) => {
  it('of accounts are kept, and at most one is the default', async (world) => {
    const { financialAccounts } = world.store;
    const isDefault = async (id: string) =>
      (await financialAccounts.get(id)).unwrapOr(undefined)?.isDefault;
    expect((await putAccount({})(world)).isOk()).toBe(true);
    expect((await financialAccounts.get('account-1')).unwrapOr(undefined)).toEqual(account);
    expect((await putAccount({ id: 'account-2', isDefault: false })(world)).isOk()).toBe(true);
    expect(await isDefault('account-1')).toBe(true);
    expect((await putAccount({ id: 'account-2' })(world)).isOk()).toBe(true);
    expect([await isDefault('account-1'), await isDefault('account-2')]).toEqual([false, true]);
    const elsewhere = { id: 'account-3', businessId: 'newShop' };
    expect((await putAccount(elsewhere)(world)).isOk()).toBe(true);
    expect([await isDefault('account-2'), await isDefault('account-3')]).toEqual([true, true]);
  });

  it('of schedules and payout preferences are kept, and replaced', async (world) => {
    expect((await putSchedule({})(world)).isOk()).toBe(true);
    expect((await world.store.schedules.get('schedule-1')).unwrapOr(undefined)).toEqual(schedule);
    expect((await putSchedule({ name: 'Summer', hours: [] })(world)).isOk()).toBe(true);
    const replaced = { ...schedule, name: 'Summer', hours: [] };
    expect((await world.store.schedules.get('schedule-1')).unwrapOr(undefined)).toEqual(replaced);
    for (const settings of [preferences.settings, { frequency: 'manual' }]) {
      expect((await putPreferences(settings)(world)).isOk()).toBe(true);
      const kept = (await world.store.payoutPreferences.get('shop')).unwrapOr(undefined);
      expect(kept).toEqual({ businessId: 'shop', settings });
    }
  });

  it('are not written if the store cannot', async (world) => {
    await world.store.close();
    expect((await putPreferences({ frequency: 'manual' })(world))._unsafeUnwrapErr().type).toBe(
      'serviceUnavailable',
    );
  });

  describe('are rejected as malformed', () => {
    it.for<[string, Put]>([
      ['an account without an asterisk', putAccount({ maskedAccountNumber: '46789' })],
      ['an account with too many digits', putAccount({ maskedAccountNumber: '*46789' })],
      ['an account in capitals', putAccount({ currency: 'EUR' })],
      ['an account of a nameless bank', putAccount({ bankName: '' })],
      ['an account that may be the default', putAccount({ isDefault: 'maybe' })],
      ['a schedule without a name', putSchedule({ name: '' })],
      ['a schedule of an unknown day', putSchedule({ hours: [{ ...span, day: 'Monday' }] })],
      ['a schedule of no time', putSchedule({ hours: [{ ...span, to: '24:00' }] })],
      ['a schedule of another form', putSchedule({ hours: [{ ...span, from: '9:00' }] })],
      ['a schedule without end', putSchedule({ hours: Array(101).fill(span) })],
      ['a frequency that is none', putPreferences({ frequency: 'yearly', delayDays: 1 })],
      ['a delay of 32 days', putPreferences({ frequency: 'daily', delayDays: 32 })],
      ['a delay before the event', putPreferences({ frequency: 'daily', delayDays: -1 })],
      ['half a day', putPreferences({ frequency: 'daily', delayDays: 0.5 })],
      ['no delay', putPreferences({ frequency: 'daily' })],
      ['a delay by hand', putPreferences({ frequency: 'manual', delayDays: 1 })],
      ['a week without a day', putPreferences({ frequency: 'weekly', delayDays: 1 })],
      ['day 0', putPreferences({ frequency: 'monthly', delayDays: 1, dayOfMonth: 0 })],
      ['day 32', putPreferences({ frequency: 'monthly', delayDays: 1, dayOfMonth: 32 })],
      ['an account that no path can name', putAccount({ id: 'account\u0007' })],
    ])('%s', async ([_what, put]) => {
      const refused = await put(await makeWorld());
      expect(refused._unsafeUnwrapErr().type).toBe('badRequest');
    });
  });

  it.for([
    ['17:30', '09:00'],
    ['09:00', '09:00'],
  ])('do not work from %s to %s', async ([from, to]) => {
    const hours = [span, { ...span, from, to }];
    const refused = await putSchedule({ hours })(await makeWorld());
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'unprocessableEntity',
      attributes: { pointer: '/hours/1/to' },
    });
  });
});

const read = async ({ send }: World, id: string, as: 'ada' | 'owner' = 'ada') =>
  receiptOf(await send('getReceipt', as, { id }));

describeEverywhere('getReceipt (D203)', ({ it }) => {
  it('shows the barber and the owner what the card schemes require', async (world) => {
    const { payment } = await givenCaptured(world);
    const shown = await read(world, payment.id);
    expect(shown).toEqual({
      contactlessPaymentId: payment.id,
      shopName: 'Marlow & Sons',
      locationName: 'Old Town',
      barberName: 'Ada Marlow',
      timeZone: 'Europe/Berlin',
      amount: '45.00',
      currency: 'eur',
      capturedAt: payment.capturedAt,
      refunds: [],
      card: payment.card,
      applicationIdentifier: expect.stringMatching(/^A0{6}/i),
      applicationPreferredName: expect.any(String),
      accountType: expect.any(String),
      authorizationCode: expect.any(String),
      authorizationResponseCode: expect.any(String),
      applicationCryptogramType: expect.any(String),
      applicationCryptogram: expect.stringMatching(/^[0-9A-F]{16}$/),
      terminalVerificationResults: expect.stringMatching(/^[0-9A-F]{10}$/),
      transactionStatusInformation: expect.stringMatching(/^[0-9A-F]{4}$/),
      cardholderVerification: expect.any(String),
    });
    expect(await read(world, payment.id, 'owner')).toEqual(shown);
  });

  it('shows a part that was given back, and what is left', async (world) => {
    const { payment } = await givenCaptured(world);
    await world.send('refundPayment', 'owner', {
      id: payment.id,
      key: fresh('refund'),
      body: { amount: '10.00' },
    });
    const shown = await read(world, payment.id);
    expect(shown.refunds).toMatchObject([{ amount: '10.00' }]);
    expect(receiptToText(shown)).toMatch(/^Left after refunds +35\.00 EUR$/m);
  });

  it.for(['readPayment', 'readReceipt'] as const)(
    'shows what is stored where the account is gone: %s',
    async (call, world) => {
      const { payment } = await givenCaptured(world);
      world.processor.failNext(call, 'notSetUp');
      const shown = await read(world, payment.id);
      expect(shown).toMatchObject({ amount: '45.00', card: payment.card, refunds: [] });
      expect(shown).not.toHaveProperty('authorizationCode');
    },
  );

  it('shows the amount that was captured, also without the account', async (world) => {
    const { payment, reference } = await givenPresented(world);
    const { capturePayment } = world.processor;
    const less = withProcessor(world, {
      capturePayment: (asked) =>
        capturePayment(asked).map((one) => ({ ...one, capturedMinor: 4000n })),
    });
    const input = captureInput(payment.id, reference);
    expect((await less.captureContactlessPayment(ada, input)).isOk()).toBe(true);
    world.processor.failNext('readPayment', 'notSetUp');
    expect(await read(world, payment.id)).toMatchObject({ amount: '40.00' });
  });

  it.for(['readPayment', 'readReceipt'] as const)(
    'asks to repeat while the processor does not answer: %s',
    async (call, world) => {
      const { payment } = await givenCaptured(world);
      world.processor.failNext(call, 'refused');
      const answer = await world.send('getReceipt', 'ada', { id: payment.id });
      problem(answer, 'serviceUnavailable');
    },
  );

  it('leaves out members that a host or an adapter gives as null, empty or unknown', async (world) => {
    const appointmentId = await givenAppointment(world, { terms: { timeZone: null } });
    const { payment } = await givenCaptured(world, { appointmentId });
    const odd: Readonly<Record<string, unknown>> = {
      authorizationCode: null,
      accountType: '',
      applicationPreferredName: 'x\u0000'.repeat(400),
      cardholderVerification: 'iris',
      newMember: 'x',
    };
    // cast: an adapter without types may give anything
    const details = odd as ReceiptDetails;
    const chairside = withProcessor(world, { readReceipt: () => okAsync(details) });
    const shown = await chairside.getReceipt(host, { contactlessPaymentId: payment.id });
    const { applicationPreferredName = '', ...rest } = shown._unsafeUnwrap();
    expect(applicationPreferredName).toMatch(/^(?:x\ufffd)+x$/);
    expect(applicationPreferredName).toHaveLength(255);
    for (const name of ['timeZone', ...Object.keys(odd)]) expect(rest).not.toHaveProperty(name);
  });
});
