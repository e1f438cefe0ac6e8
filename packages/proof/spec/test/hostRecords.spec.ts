import {
  type Appointment,
  type AuthContext,
  type Business,
  type Chairside,
  createChairside,
  type EventHandler,
  hourMs,
  okAsync,
  type Problem,
  type ResultAsync,
} from '@chairside/core';
import { contactlessPaymentSchema, type RawEvent, type Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  aFinancialAccount,
  anAppointment,
  aPayoutPreferences,
  aSchedule,
  createManualClock,
  createMapStore,
} from '@chairside/testkit';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

const business: Business = {
  id: 'shop',
  name: 'Marlow & Sons',
  processorAccount: { id: 'acct_shop', currency: 'eur' },
};

/** A shop with its own database of appointments and businesses. */
function openHost(groups: Partial<Pick<Store, 'appointments' | 'businesses'>>) {
  return openShop(groups).chairside;
}

function openShop(groups: Partial<Pick<Store, 'appointments' | 'businesses'>>) {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const real = createMapStore();
  const store: Store = { ...real, businesses: { get: () => okAsync(business) }, ...groups };
  const heard: unknown[] = [];
  const onFailure = (thrown: unknown) => heard.push(String(thrown));
  return {
    chairside: createChairside({ store, processor, clock, onFailure }),
    processor,
    clock,
    real,
    heard,
  };
}

const haircut: Appointment = anAppointment({ id: 'haircut', businessId: 'shop' });
const opener: AuthContext = {
  subject: 'ada',
  barberId: haircut.barber.id,
  entitlements: ['contactlessPayments'],
};

async function open(chairside: ReturnType<typeof openHost>, appointmentId: string) {
  const opened = await chairside.createContactlessPayment(opener, {
    appointmentId,
    idempotencyKey: appointmentId,
  });
  return opened.isOk() ? opened.value.amount : opened.error.type;
}

describe("appointments in the host's own database", () => {
  it('are opened under their one id', async () => {
    const chairside = openHost({ appointments: { get: () => okAsync(haircut) } });
    expect(await open(chairside, 'haircut')).toBe('45.00');
  });

  it('are not opened under a second id, which would count payments twice (D74)', async () => {
    const chairside = openHost({ appointments: { get: () => okAsync(haircut) } });
    expect(await open(chairside, 'HAIRCUT')).toBe('notFound');
    const listed = await chairside.listContactlessPayments(opener, { appointmentId: 'HAIRCUT' });
    expect(listed._unsafeUnwrapErr().type).toBe('notFound');
  });

  it('are shown with the interface’s members only', async () => {
    const profile = {
      preferredName: 'A.',
      biography: 'Barber',
      spokenLanguages: ['de'],
      experience: 7,
      instagram: 'ada',
      urlSlug: 'ada',
      profileImage_URL: 'https://shop.example/ada.png',
    };
    const { businessId, amountDueMinor, ...reference } = haircut;
    const barber = { ...reference.barber, ...profile };
    const shown = { ...reference, timeZone: null, barber };
    const hidden = { passwordHash: 'c2VjcmV0' };
    const held = {
      ...shown,
      ...hidden,
      barber: { ...barber, ...hidden },
      location: { ...reference.location, ...hidden },
    };
    const get = () => okAsync({ ...held, businessId, amountDueMinor });
    const chairside = openHost({ appointments: { get } });
    const opened = await chairside.createContactlessPayment(opener, {
      appointmentId: 'haircut',
      idempotencyKey: 'key',
    });
    expect(opened._unsafeUnwrap().appointment).toEqual(shown);
  });

  it('are not found if the database returns null', async () => {
    // cast: a host without types may return it
    const get = () => okAsync(null as unknown as undefined);
    expect(await open(openHost({ appointments: { get } }), 'haircut')).toBe('notFound');
  });

  it('are not found if it returns null later: their payments are still checked', async () => {
    let found: Appointment | undefined = haircut;
    const clock = createManualClock();
    const processor = createFakeProcessor({ clock });
    const store: Store = {
      ...createMapStore(),
      businesses: { get: () => okAsync(business) },
      appointments: { get: () => okAsync(found) },
    };
    const chairside = createChairside({ store, processor, clock });
    const open = async (idempotencyKey: string) => {
      const input = { appointmentId: 'haircut', idempotencyKey, body: { amount: '10.00' } };
      return (await chairside.createContactlessPayment(opener, input))._unsafeUnwrap();
    };
    const [first, second] = [await open('first'), await open('second')];
    const present = (clientSecret: string) =>
      processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    // cast: a host without types may return it
    const gone = null as unknown as undefined;

    const { externalPaymentReference } = present(first.clientSecret);
    const captured = await chairside.captureContactlessPayment(opener, {
      contactlessPaymentId: first.id,
      idempotencyKey: 'capture',
      body: { externalPaymentReference },
    });
    expect(captured.isOk()).toBe(true);
    found = gone;
    await chairside.settled();
    present(second.clientSecret);
    for (const message of processor.takeEvents()._unsafeUnwrap()) {
      expect((await chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }
    clock.advance(hourMs);
    const report = (await chairside.reconcile())._unsafeUnwrap();
    expect(report).toMatchObject({ looked: 1, unsettled: 0 });
  });

  it.each([10n ** 15n, 10n ** 20n])('with %d due cannot be paid (D2)', async (amountDueMinor) => {
    const get = () => okAsync({ ...haircut, amountDueMinor });
    expect(await open(openHost({ appointments: { get } }), 'haircut')).toBe('unprocessableEntity');
  });
});

describe("a wrong row of a host's own database", () => {
  const { businessId: _shop, amountDueMinor: _due, ...reference } = haircut;
  const visit = (over: object) => ({
    appointments: { get: () => okAsync({ ...haircut, ...over }) },
  });
  const decorated = (over: object) => visit({ barber: { ...haircut.barber, ...over } });
  const shop = (over: object) => ({
    ...visit({}),
    businesses: { get: () => okAsync({ ...business, ...over }) },
  });
  const create = (chairside: Chairside) =>
    chairside.createContactlessPayment(opener, { appointmentId: 'haircut', idempotencyKey: 'key' });
  // cast: a host without types may return it
  const bare = (row: object) => ({ get: () => Promise.resolve(row) as never });

  it.each([
    [visit({ amountDueMinor: 4500 }), 'appointment haircut: /amountDueMinor must be a bigint.'],
    [visit({ amountDueMinor: '4500' }), 'appointment haircut: /amountDueMinor must be a bigint.'],
    [
      visit({ occursOn: '2026-12-01 09:00:00' }),
      'appointment haircut: /occursOn must be a time such as 2026-11-20T09:30:00.000Z.',
    ],
    [
      visit({ occursOn: '2026-02-31T09:00:00Z' }),
      'appointment haircut: /occursOn must be a time such as 2026-11-20T09:30:00.000Z.',
    ],
    [visit({ occursOn: undefined }), 'appointment haircut: /occursOn is required.'],
    [visit({ occursOn: 1_796_115_600_000 }), 'appointment haircut: /occursOn must be a string.'],
    [visit({ businessId: 7 }), 'appointment haircut: /businessId must be a string.'],
    [visit({ businessId: '' }), 'appointment haircut: /businessId must have 1 to 255 characters.'],
    [visit({ customerId: 7 }), 'appointment haircut: /customerId must be a string.'],
    [visit({ isMissed: 'no' }), 'appointment haircut: /isMissed must be a boolean.'],
    [visit({ location: undefined }), 'appointment haircut: /location is required.'],
    [
      visit({ location: { ...haircut.location, shopName: 1 } }),
      'appointment haircut: /location/shopName must be a string.',
    ],
    [visit({ barber: null }), 'appointment haircut: /barber must be an object.'],
    [
      visit({ barber: { ...haircut.barber, surname: '' } }),
      'appointment haircut: /barber/surname must have 1 to 55 characters.',
    ],
    [visit({ noShowFeeMinor: 2000 }), 'appointment haircut: /noShowFeeMinor must be a bigint.'],
    [visit({ noShowFeeMinor: -1n }), 'appointment haircut: /noShowFeeMinor must not be negative.'],
    [
      { appointments: bare(haircut) },
      'appointment haircut: the store must return a Result, such as okAsync(row)',
    ],
    [
      shop({ processorAccount: { currency: 'eur' } }),
      'business shop: /processorAccount/id is required.',
    ],
    [
      shop({ applicationFee: { fixedMinor: 30, currency: 'eur' } }),
      'business shop: /applicationFee/fixedMinor must be a bigint.',
    ],
    [
      { ...visit({}), businesses: bare(business) },
      'business shop: the store must return a Result, such as okAsync(row)',
    ],
  ])('opens no payment, and its host hears why: %#: %s (D74)', async (groups, why) => {
    const { chairside, real, heard } = openShop(groups);
    const refused = await create(chairside);
    const [row, member] = why.split(/ .*?: /);
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'internalError',
      detail: `The shop's record of the ${row} is wrong: ${member}`,
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(heard).toEqual([`TypeError: ${why}`]);
    expect((await real.payments.listAll(1))._unsafeUnwrap()).toEqual([]);
  });

  it('charges no saved method either', async () => {
    const { chairside, heard } = openShop(visit({ amountDueMinor: 4500 }));
    const manager = { subject: 'manager', businessIds: ['shop'] };
    const refused = await chairside.chargePaymentMethod(manager, {
      appointmentId: 'haircut',
      idempotencyKey: 'key',
      body: {
        purpose: 'deposit',
        amount: '20.00',
        paymentMethodSetupId: 'pms_01h',
        agreedAt: '2026-11-13T17:05:00.000Z',
        agreementRef: 'deposits-2026-11',
      },
    });
    expect(refused._unsafeUnwrapErr().recovery.outcome).toBe('notApplied');
    expect(heard).toEqual(['TypeError: appointment haircut: /amountDueMinor must be a bigint.']);
  });

  it('may have members that are undefined, and all that a barber may show', async () => {
    const barber = { ...haircut.barber, preferredName: undefined, biography: 'Cuts hair.' };
    const { chairside, heard } = openShop(visit({ barber, customerId: undefined }));
    expect([await open(chairside, 'haircut'), heard]).toEqual(['45.00', []]);
  });

  it.each([
    visit({ customerId: null, paymentMethodSetupId: null, noShowFeeMinor: null }),
    visit({ isMissed: null, sameVisit: null }),
    visit({ isMissed: 0, sameVisit: 1 }),
    visit({ occursOn: haircut.occursOn.replace('.000Z', 'Z') }),
    visit({ occursOn: haircut.occursOn.replace('.000Z', '.000999Z') }),
    visit({ occursOn: new Date(haircut.occursOn) }),
    decorated({ biography: null, spokenLanguages: null, experience: null, instagram: null }),
    decorated({ urlSlug: null, profileImage_URL: null }),
    shop({ applicationFee: null }),
    shop({ applicationFee: { fixedMinor: null, includesTip: null } }),
    shop({ applicationFee: { currency: null, basisPoints: null } }),
    shop({ processorAccount: { ...business.processorAccount, terminalLocation: null } }),
  ])('may be written as databases write it: %#', async (groups) => {
    const { chairside, heard } = openShop(groups);
    const opened = await create(chairside);
    const { appointment } = v.parse(contactlessPaymentSchema, opened._unsafeUnwrap());
    expect(appointment).toEqual(reference);
    expect(heard).toEqual([]);
  });

  it.each([
    [visit({ timeZone: 'Berlin' }), '/timeZone'],
    [visit({ timeZone: 60 }), '/timeZone'],
    [decorated({ preferredName: 7 }), '/barber/preferredName'],
    [decorated({ biography: 7, urlSlug: '' }), '/barber/biography, /barber/urlSlug'],
    [decorated({ spokenLanguages: ['de-DE'] }), '/barber/spokenLanguages'],
    [decorated({ spokenLanguages: [] }), '/barber/spokenLanguages'],
    [decorated({ experience: 'senior' }), '/barber/experience'],
    [decorated({ instagram: '' }), '/barber/instagram'],
    [decorated({ profileImage_URL: '/ada.png' }), '/barber/profileImage_URL'],
  ])('is shown without what is malformed in it: %#: %s', async (groups, leftOut) => {
    const { chairside, heard } = openShop(groups);
    const opened = await create(chairside);
    const { appointment } = v.parse(contactlessPaymentSchema, opened._unsafeUnwrap());
    const { timeZone, ...others } = reference;
    expect(appointment).toStrictEqual(leftOut === '/timeZone' ? others : { ...others, timeZone });
    expect(heard).toEqual([
      `TypeError: appointment haircut: malformed, so no payment shows it: ${leftOut}`,
    ]);
  });

  it('is no hindrance to take cash, or to see what was paid', async () => {
    const { chairside, heard } = openShop(visit({ occursOn: 'tomorrow', location: null }));
    const paid = await chairside.recordTender(opener, {
      appointmentId: 'haircut',
      idempotencyKey: 'cash',
      body: { kind: 'cash', amount: '20.00' },
    });
    expect(paid._unsafeUnwrap()).toMatchObject({ amount: '20.00' });
    const appointmentId = 'haircut';
    const tenders = await chairside.listTenders(opener, { appointmentId });
    expect(tenders._unsafeUnwrap().count).toBe(1);
    const payments = await chairside.listContactlessPayments(opener, { appointmentId });
    expect(payments._unsafeUnwrap().count).toBe(0);
    expect(heard).toEqual([]);
  });

  it('without a time is no visit of another day, whoever paid at it before (D209)', async () => {
    let row: Appointment = { ...haircut, customerId: 'mia' };
    const { chairside } = openShop({ appointments: { get: () => okAsync(row) } });
    const pay = (idempotencyKey: string) =>
      chairside.recordTender(opener, {
        appointmentId: 'haircut',
        idempotencyKey,
        body: { kind: 'cash', amount: '10.00' },
      });
    expect((await pay('first')).isOk()).toBe(true);
    row = { ...haircut, customerId: 'noa', occursOn: 'tomorrow' };
    expect((await pay('second')).isOk()).toBe(true);
  });

  it.each([{}, { id: 'ada', givenName: 'Ada' }])(
    'without the whole barber opens the visit to nobody else: %j',
    async (barber) => {
      const { chairside } = openShop(visit({ barber }));
      const stranger = { subject: 'eve', businessIds: ['other'] };
      const listed = await chairside.listTenders(stranger, { appointmentId: 'haircut' });
      expect(listed._unsafeUnwrapErr().detail).toBe(
        "The shop's record of the appointment is wrong: /barber must have an id and a name.",
      );
    },
  );

  it.each([
    [{ amountDueMinor: '4500' }, 'appointment haircut: /amountDueMinor must be a bigint.'],
    [{ businessId: 7 }, 'appointment haircut: /businessId must be a string.'],
    // It owes nothing, and is another visit (D74).
    [{ id: 'beard', amountDueMinor: 0n }, undefined],
  ])('releases no payment that is open, and is told to the host: %#: %s', async (over, why) => {
    const isTaken = () => processor.entries().some(({ status }) => status === 'captured');
    const { chairside, processor, clock, heard } = openShop({
      appointments: {
        // cast: a host without types may return it
        get: () => okAsync({ ...haircut, ...(isTaken() && over) } as never),
      },
    });
    const openOne = async (idempotencyKey: string) => {
      const input = { appointmentId: 'haircut', idempotencyKey, body: { amount: '20.00' } };
      return (await chairside.createContactlessPayment(opener, input))._unsafeUnwrap();
    };
    const [first, other] = [await openOne('first'), await openOne('other')];
    const present = ({ clientSecret }: typeof first) =>
      processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    present(other);
    for (const message of processor.takeEvents()._unsafeUnwrap()) {
      expect((await chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }
    const { externalPaymentReference } = present(first);
    const captured = await chairside.captureContactlessPayment(opener, {
      contactlessPaymentId: first.id,
      idempotencyKey: 'capture',
      body: { externalPaymentReference },
    });
    expect(captured._unsafeUnwrap().state).toBe('captured');
    const told = why === undefined ? [] : [`TypeError: ${why}`];
    await chairside.settled();
    expect(heard.splice(0)).toEqual(told);
    clock.advance(hourMs);
    expect((await chairside.reconcile())._unsafeUnwrap()).toMatchObject({
      looked: 1,
      // It was compared with the processor all the same.
      unsettled: 0,
    });
    expect(heard).toEqual(told);
    const read = await chairside.getContactlessPayment(opener, { contactlessPaymentId: other.id });
    expect(read._unsafeUnwrap().state).toBe('authorized');
  });

  it('holds up a capture only if money depends on it (D13)', async () => {
    const row: Record<string, unknown> = { ...haircut };
    // cast: as above
    const groups = { appointments: { get: () => okAsync({ ...row } as never) } };
    const { chairside, processor, heard } = openShop(groups);
    const opened = await chairside.createContactlessPayment(opener, {
      appointmentId: 'haircut',
      idempotencyKey: 'open',
    });
    const { id, clientSecret } = opened._unsafeUnwrap();
    const { externalPaymentReference } = processor
      .presentCard(clientSecret, 'visa_credit')
      ._unsafeUnwrap();
    const capture = () =>
      chairside.captureContactlessPayment(opener, {
        contactlessPaymentId: id,
        idempotencyKey: 'capture',
        body: { externalPaymentReference },
      });
    Object.assign(row, { amountDueMinor: 4500, occursOn: 'tomorrow' });
    expect((await capture())._unsafeUnwrapErr().recovery).toEqual({
      outcome: 'notApplied',
      retry: 'doNotRetry',
    });
    expect(heard).toEqual(['TypeError: appointment haircut: /amountDueMinor must be a bigint.']);
    Object.assign(row, { amountDueMinor: 4500n, barber: null });
    const stranger = { subject: 'eve', barberId: 'eve' };
    const read = await chairside.getContactlessPayment(stranger, { contactlessPaymentId: id });
    expect(read._unsafeUnwrapErr().type).toBe('forbidden');
    expect((await capture()).isOk()).toBe(true);
  });
});

describe('every record of a host', () => {
  it('is accepted as testkit’s builders make it (D35)', async () => {
    const { records } = createChairside({
      store: createMapStore(),
      processor: createFakeProcessor({ clock: createManualClock() }),
    });
    for (const put of [
      await records.putBusiness(aBusiness()),
      await records.putBarber(aBarber()),
      await records.putAppointment(anAppointment()),
      await records.putFinancialAccount(aFinancialAccount()),
      await records.putSchedule(aSchedule()),
      await records.putPayoutPreferences(aPayoutPreferences()),
    ]) {
      expect(put.isOk()).toBe(true);
    }
  });
});

describe("businesses in the host's own database", () => {
  it('are not set up in a currency without two decimals (D18)', async () => {
    const yen = { ...business, processorAccount: { id: 'acct_shop', currency: 'jpy' } };
    const chairside = openHost({
      appointments: { get: () => okAsync(haircut) },
      businesses: { get: () => okAsync(yen) },
    });
    expect(await open(chairside, 'haircut')).toBe('paymentProviderNotSetup');

    const { id: barberId } = haircut.barber;
    const put = await chairside.records.putBarber({ id: barberId, businessId: 'shop' });
    expect(put.isOk()).toBe(true);
    const body = { platform: 'ios', deviceIdentifier: 'phone', deviceModel: 'iPhone14,5' } as const;
    const { id } = (await chairside.registerTerminal(opener, { body }))._unsafeUnwrap();
    const token = await chairside.createTerminalConnectionToken(opener, { terminalId: id });
    expect(token._unsafeUnwrapErr().type).toBe('paymentProviderNotSetup');
  });
});

describe('a host without types', () => {
  const refused = {
    type: expect.stringContaining('badRequest'),
    status: 400,
    recovery: { outcome: 'notApplied' },
  };

  it('without a handler keeps its events', async () => {
    const chairside = openHost({ appointments: { get: () => okAsync(haircut) } });
    expect(await open(chairside, 'haircut')).toBe('45.00');
    for (let round = 0; round < 12; round += 1) {
      // cast: a host without types may pass it
      const report = await chairside.events.deliver(undefined as unknown as EventHandler);
      expect(report._unsafeUnwrapErr()).toMatchObject(refused);
    }
    expect((await chairside.events.listDeadLetters())._unsafeUnwrap()).toEqual([]);
    const report = await chairside.events.deliver(async () => {}, { limit: undefined });
    expect(report._unsafeUnwrap()).toMatchObject({ delivered: 1, failed: 0 });
  });

  it('may pass undefined as a limit', async () => {
    const report = await openHost({}).reconcile({ limit: undefined });
    expect(report._unsafeUnwrap()).toMatchObject({ more: false });
  });

  const admin = { subject: 'admin', systemAdministrator: true };
  const nothing = undefined as never; // cast: a host without types may pass it
  const noText = 5 as never; // cast: as above
  const noKey = {} as never; // cast: as above
  const noHeaders = { payload: '{}' } as RawEvent; // cast: as above

  it.each<[string, (chairside: Chairside) => ResultAsync<unknown, Problem>]>([
    ['putAppointment()', ({ records }) => records.putAppointment(nothing)],
    ['putSchedule(5)', ({ records }) => records.putSchedule(noText)],
    ['getTerminal()', ({ getTerminal }) => getTerminal(opener, nothing)],
    ['registerTerminal()', ({ registerTerminal }) => registerTerminal(opener, nothing)],
    ['createContactlessPayment()', (use) => use.createContactlessPayment(opener, nothing)],
    ['preparePaymentMethod()', (use) => use.preparePaymentMethod(admin, nothing)],
    ['releaseTerminal()', ({ releaseTerminal }) => releaseTerminal(admin, nothing)],
    ['releaseTerminal(5)', (use) => use.releaseTerminal(admin, { deviceIdentifier: noText })],
    ['skip()', ({ events }) => events.skip(nothing)],
    ['skip({})', ({ events }) => events.skip({ subject: nothing, version: nothing })],
    ['redeliver(5)', ({ events }) => events.redeliver({ subject: noText, version: 1 })],
    ['listDeadLetters({ after: {} })', (use) => use.events.listDeadLetters({ after: noKey })],
    ['receiveProcessorEvent()', (use) => use.receiveProcessorEvent(nothing)],
    ['receiveProcessorEvent({ payload })', (use) => use.receiveProcessorEvent(noHeaders)],
  ])('hears that %s was not applied', async (_, call) => {
    const answer = await call(openHost({}));
    expect(answer._unsafeUnwrapErr()).toMatchObject(refused);
  });

  it('may omit the facts of a request', async () => {
    const received = await openHost({}).receiveProcessorEvent({ payload: '{}', headers: {} }, null);
    expect(received._unsafeUnwrapErr()).toMatchObject(refused);
  });
});
