import { describe, expect, it } from 'vitest';
import { anAppointment, aPayment } from '../../test/support.ts';
import {
  type Appointment,
  type Business,
  emptyLedger,
  hasTwoDecimals,
  paymentAccount,
  remainingMinor,
  snapshotOf,
  tidyAppointment,
  withEarlierAccounts,
} from './host.ts';

describe('hasTwoDecimals', () => {
  it.each(['eur', 'usd', 'gbp', 'chf', 'sek', 'mxn', 'huf', 'inr'])(
    'is true for %s',
    (currency) => {
      expect(hasTwoDecimals(currency)).toBe(true);
    },
  );

  it.each(['jpy', 'krw', 'isk', 'kwd', 'tnd', 'clf', 'EUR', 'euro', 'eu', '', 'eur\n', '€€€'])(
    'is false for %j (D18)',
    (currency) => {
      expect(hasTwoDecimals(currency)).toBe(false);
    },
  );

  it('is false for currencies that a processor counts in other units than hundredths', () => {
    // As Stripe documents them.
    const whole = 'bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf';
    const thousandths = 'bhd jod kwd omr tnd';
    expect(`${whole} ${thousandths}`.split(' ').filter(hasTwoDecimals)).toEqual([]);
    // It pays these out in whole units, but charges hundredths.
    expect(['huf', 'twd'].every(hasTwoDecimals)).toBe(true);
  });

  it('is false for any currency that Unicode writes with fewer or more decimals', () => {
    const decimals = (currency: string) =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? 0;
    // Unicode writes a few without decimals that ISO 4217 counts in hundredths. Money here follows
    // ISO. These are the ones on which both agree.
    const others = 'bif clp djf gnf jpy kmf krw pyg rwf vnd vuv xaf xof xpf bhd jod kwd omr tnd';
    for (const currency of others.split(' ')) {
      expect([currency, decimals(currency) === 2, hasTwoDecimals(currency)]).toEqual([
        currency,
        false,
        false,
      ]);
    }
  });
});

describe('the remaining balance', () => {
  const appointment = (amountDueMinor: bigint) => ({
    ...aPayment().appointment,
    businessId: 'business-1',
    amountDueMinor,
  });
  const nothingYet = emptyLedger('appointment-1');

  it('is the full amount at first', () => {
    expect(nothingYet).toEqual({
      appointmentId: 'appointment-1',
      capturedMinor: 0n,
      reservedMinor: 0n,
      openPayments: 0,
    });
    expect(remainingMinor(appointment(4500n), nothingYet, 'eur')).toBe(4500n);
  });

  it('excludes captured amounts, reserved or not; it is negative if the host lowers the amount due', () => {
    const paid = { ...nothingYet, capturedMinor: 3000n, reservedMinor: 1500n };
    expect(remainingMinor(appointment(4500n), paid, 'eur')).toBe(1500n);
    expect(remainingMinor(appointment(2000n), paid, 'eur')).toBe(-1000n);
  });

  it('is unknown if the payments took another currency (D39)', () => {
    const paid = { ...nothingYet, capturedMinor: 3000n, currency: 'chf' };
    expect(remainingMinor(appointment(4500n), paid, 'eur')).toBeUndefined();
    expect(remainingMinor(appointment(4500n), paid, 'chf')).toBe(1500n);
  });
});

it('payments go to an account whose currency has two decimals (D18)', () => {
  const named = { id: 'business-1', name: 'Marlow & Sons' };
  const account = (currency: string) => ({ id: 'acct_1', currency });
  expect(paymentAccount({ ...named, processorAccount: account('eur') })).toEqual(account('eur'));
  expect(paymentAccount({ ...named, processorAccount: account('jpy') })).toBeUndefined();
  const odd: unknown = ['eur'];
  // cast: a host without types
  expect(paymentAccount({ ...named, processorAccount: account(odd as string) })).toBeUndefined();
  expect(paymentAccount(named)).toBeUndefined();
  expect(paymentAccount(undefined)).toBeUndefined();
});

describe('the time at which the account changed', () => {
  const none = '';
  const first = 100;

  it.each<[accounts: string[], changedAt: number | undefined]>([
    [['a'], undefined],
    [['a', 'a'], undefined],
    [['a', 'b'], first + 1],
    [['a', 'b', 'b'], first + 1],
    [['a', none], undefined],
    [['a', 'b', 'c'], first + 2],
    // These were used before, so that any day may have entries of theirs.
    [['a', 'b', 'a'], undefined],
    [['a', 'b', 'a', 'a'], undefined],
    [['a', 'b', none, 'a'], undefined],
    [['a', none, 'b'], first + 2],
    [['a', 'b', 'a', 'c'], first + 3],
  ])('of %j is %j', (accounts, changedAt) => {
    let business: Business | undefined;
    for (const [index, id] of accounts.entries()) {
      const processorAccount = id === none ? undefined : { id, currency: 'eur' };
      const put = { id: 'shop', name: 'Shop', ...(processorAccount && { processorAccount }) };
      business = withEarlierAccounts(put, business, first + index);
    }
    expect(business?.accountChangedAt).toBe(changedAt);
  });
});

it('a snapshot has every public member of an appointment, and no other', () => {
  const least = {
    id: 'appointment-1',
    occursOn: '2026-11-21T09:00:00.000Z',
    barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'location-1', name: 'Old Town', shopName: 'Marlow & Sons' },
  };
  const profile = {
    preferredName: 'Addie',
    biography: 'Cuts hair.',
    spokenLanguages: ['en'],
    experience: 'senior',
    instagram: '@ada',
    urlSlug: 'ada',
    profileImage_URL: 'https://shop.example/ada.png',
  };
  const most = { ...least, timeZone: null, barber: { ...least.barber, ...profile } };
  for (const shown of [least, most]) {
    const kept = {
      ...shown,
      note: 'private',
      barber: { ...shown.barber, phone: 'private' },
      location: { ...shown.location, rent: 'private' },
    };
    expect(snapshotOf(kept)).toStrictEqual(shown);
  }
});

it('a row of SQLite says with 0 or 1 whether the customer missed the visit (D49)', () => {
  const names = ['isMissed', 'sameVisit'] as const;
  const tidy = (bit: unknown) =>
    // cast: hosts without types may return it
    tidyAppointment({ ...anAppointment(), isMissed: bit as boolean, sameVisit: bit as boolean });
  for (const name of names) {
    const told = [1, 0, true, null].map((bit) => tidy(bit)[name]);
    expect(told).toEqual([true, false, true, undefined]);
  }
});

it('a row of a host leaves out with null what it does not know', () => {
  const terms = { customerId: null, paymentMethodSetupId: null, noShowFeeMinor: null };
  const row: unknown = { ...anAppointment(), ...terms, isMissed: null, sameVisit: null };
  // cast: hosts without types may return it
  expect(tidyAppointment(row as Appointment)).toStrictEqual(anAppointment());
  const full: Appointment = anAppointment({
    timeZone: null,
    customerId: 'customer-1',
    paymentMethodSetupId: 'pms_1',
    noShowFeeMinor: 2000n,
    isMissed: true,
    sameVisit: false,
  });
  expect(tidyAppointment(full)).toStrictEqual(full);
});
