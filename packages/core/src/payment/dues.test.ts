import { describe, expect, it } from 'vitest';
import { portsOver, testPorts } from '../../test/ports.ts';
import { anAppointment, aPayment, charge, value } from '../../test/support.ts';
import { emptyLedger, type Ledger } from '../host/host.ts';
import { errAsync, okAsync } from '../values/result.ts';
import {
  type Dues,
  dueMinorFor,
  isVisitPaid,
  type OtherDues,
  type Released,
  type Undue,
  undueVisit,
  whyOtherOwner,
  whyUndue,
} from './dues.ts';
import { readDues } from './find.ts';
import type { Payment } from './payment.ts';

const appointment = anAppointment({ amountDueMinor: 4500n, customerId: charge.customerId });
const { currency } = aPayment();
const ledger: Ledger = {
  appointmentId: appointment.id,
  openPayments: 1,
  capturedMinor: 0n,
  reservedMinor: 4500n,
  currency,
};
const visit: Ledger = { ...ledger, capturedMinor: 4500n, reservedMinor: 0n };
const owned = { appointment, business: undefined, ledger };

it.each<[string, Partial<Payment>, Partial<Dues>, Undue | undefined]>([
  ['whose reserved amount is due may be captured', {}, {}, undefined],
  ['of a removed appointment is not due', {}, { appointment: undefined }, 'appointmentGone'],
  ['in another currency is not due', { currency: 'XXX' }, {}, 'currencyChanged'],
  [
    'above what is due is not due',
    {},
    { ledger: { ...ledger, capturedMinor: 1n } },
    'exceedsRemainingBalance',
  ],
  [
    'above what cash has left of the due is not due',
    {},
    { ledger: { ...ledger, tenderedMinor: 1n } },
    'exceedsRemainingBalance',
  ],
  [
    'for missing a visit that was paid in cash is not due',
    {},
    { visit: { ...visit, capturedMinor: 0n, tenderedMinor: 4500n } },
    'visitPaid',
  ],
  ['charged to the visit’s customer may be captured', { charge }, {}, undefined],
  [
    'charged to the visit’s customer is not due above it',
    { charge },
    { ledger: { ...ledger, capturedMinor: 1n } },
    'exceedsRemainingBalance',
  ],
  [
    'charged to a former customer is not due',
    { charge: { ...charge, customerId: 'another' } },
    {},
    'customerChanged',
  ],
  ['for missing a visit that was paid is not due', {}, { visit }, 'visitPaid'],
  [
    'for missing a visit that was not paid may be captured',
    {},
    { visit: { ...visit, capturedMinor: 0n } },
    undefined,
  ],
])('a payment %s (D13)', (_, payment, dues, why) => {
  expect(whyUndue(aPayment(payment), { ...owned, ...dues })).toBe(why);
});

it('is not due in the currency of the ledger or of the business, if that is another one (D39)', () => {
  const francs = { ...ledger, currency: 'chf' };
  expect(whyUndue(aPayment(), { ...owned, ledger: francs })).toBe('currencyChanged');
  const business = {
    id: 'shop',
    name: 'Shop',
    processorAccount: { id: 'acct_1', currency: 'chf' },
  };
  expect(whyUndue(aPayment(), { ...owned, business })).toBe('currencyChanged');
});

it('compares no currency with a business that has no account (D39)', () => {
  const business = { id: 'shop', name: 'Shop' };
  expect(whyUndue(aPayment(), { ...owned, business })).toBeUndefined();
});

it('that is a tip alone is due beside a visit that was overpaid, in its currency (D48)', () => {
  const tip = aPayment({ amountMinor: 500n, tipMinor: 500n });
  const overpaid = { ...ledger, capturedMinor: 9000n, reservedMinor: 0n };
  expect(whyUndue(tip, { ...owned, ledger: overpaid })).toBeUndefined();
  const francs = { ...overpaid, currency: 'chf' };
  expect(whyUndue(tip, { ...owned, ledger: francs })).toBe('currencyChanged');
});

it.each<[string, Partial<Dues>, Released | undefined]>([
  ['may be captured if all of them owe it', {}, undefined],
  [
    'is not due if one of them is gone',
    { others: [other({ appointment: undefined })] },
    { why: 'appointmentGone', appointmentId: 'child' },
  ],
  [
    'is not due if the second of them was paid meanwhile',
    { others: [other(), other({ ledger: { ...ledger, capturedMinor: 1n } })] },
    { why: 'exceedsRemainingBalance', appointmentId: 'child' },
  ],
  [
    'is not due if its own visit is gone',
    { appointment: undefined, others: [other({ appointment: undefined })] },
    { why: 'appointmentGone' },
  ],
])('a payment for several visits %s (D208)', (_, dues, undue) => {
  expect(undueVisit(aPayment(), { ...owned, others: [other()], ...dues })).toStrictEqual(undue);
});

it('a payment for one visit may be captured without others (D208)', () => {
  expect(undueVisit(aPayment(), owned)).toBeUndefined();
});

function other(over: Partial<OtherDues> = {}): OtherDues {
  return { appointmentId: 'child', appointment, business: undefined, ledger, ...over };
}

describe('what a payment is compared with', () => {
  const part = { barberId: 'barber-1', amountMinor: 1n, tipMinor: 0n };
  const shares = [
    { ...part, appointmentId: 'appointment-1' },
    { ...part, appointmentId: 'child' },
  ];
  const shared = aPayment({ amountMinor: 2n, shares });
  const fee = aPayment({ charge: { ...charge, purpose: 'noShow' } });
  const read = (payment: Payment, lost = '') => {
    const { store } = testPorts().ports;
    const get =
      <T>(kind: string, row: (id: string) => T) =>
      (id: string) =>
        `${kind} ${id}` === lost
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const)
          : okAsync(row(id));
    const visit = (id: string) =>
      anAppointment({ id, businessId: id === 'child' ? 'other' : 'business-1' });
    const ports = portsOver({
      appointments: { ...store.appointments, get: get('appointment', visit) },
      businesses: { ...store.businesses, get: get('business', (id) => ({ id, name: id })) },
      ledgers: { get: get('ledger', emptyLedger) },
    });
    return readDues(ports, payment);
  };

  it('is each of its visits, as the business of that visit has it', async () => {
    expect(value(await read(shared))).toMatchObject({
      business: { id: 'business-1' },
      others: [{ appointmentId: 'child', appointment: { id: 'child' }, business: { id: 'other' } }],
    });
  });

  it.each([
    ['appointment appointment-1', shared],
    ['business business-1', shared],
    ['ledger appointment-1', shared],
    ['appointment child', shared],
    ['business other', shared],
    ['ledger child', shared],
    ['ledger \u0001appointment-1', fee],
    ['ledger appointment-1', fee],
  ])('is unknown while the store cannot read the %s', async (lost, payment) => {
    expect((await read(payment, lost)).isErr()).toBe(true);
  });
});

describe('the amount due for a purpose (D49)', () => {
  it.each([
    ['the visit', undefined, { isMissed: true, noShowFeeMinor: 1500n }, 4537n],
    ['a deposit', 'deposit', {}, 4537n],
    ['a missed visit', 'noShow', { isMissed: true, noShowFeeMinor: 1500n }, 1500n],
    ['a missed visit without a fee', 'noShow', { isMissed: true }, 0n],
    ['a visit that took place', 'noShow', { noShowFeeMinor: 1500n }, 0n],
  ] as const)('of %s', (_, purpose, terms, due) => {
    const charged = purpose === undefined ? {} : { charge: { ...charge, purpose } };
    expect(dueMinorFor(charged, anAppointment(terms))).toBe(due);
  });
});

describe('a saved method, compared with the customer of a visit (D49)', () => {
  const forOne = { isForOneVisit: true } as const;
  const own = { customerId: charge.customerId };

  it.each([
    ['of its customer may be charged', own, {}, undefined],
    ['of another customer may not', { customerId: 'another' }, {}, 'customerChanged'],
    ['may not be charged for nobody', {}, {}, 'customerChanged'],
    [
      'of a merged customer is the one it is now',
      { customerId: 'now' },
      { ownerId: 'now' },
      undefined,
    ],
    ['of a merged customer is not the former one', own, { ownerId: 'now' }, 'customerChanged'],
    ['for another visit may be charged', { ...own, paymentMethodSetupId: 'other' }, {}, undefined],
    [
      'for one visit may be charged for it',
      { paymentMethodSetupId: charge.setupId },
      forOne,
      undefined,
    ],
    [
      'for one visit may not be charged for another customer',
      { customerId: 'another', paymentMethodSetupId: charge.setupId },
      forOne,
      'customerChanged',
    ],
    [
      'for one visit may not be charged for another visit',
      { ...own, paymentMethodSetupId: 'other' },
      forOne,
      'setupChanged',
    ],
  ] as const)('%s', (_, visit, method, why) => {
    expect(whyOtherOwner(visit, { ...charge, ...method })).toBe(why);
  });
});

it.each([
  ['is paid by as much as it costs', 4500n, 4500n, currency, true],
  ['is not paid by less', 4500n, 4499n, currency, false],
  ['is not paid in another currency', 4500n, 4500n, 'XXX', false],
  ['that costs nothing is not paid', 0n, 0n, currency, false],
] as const)('a visit %s (D49)', (_, amountDueMinor, capturedMinor, of, isPaid) => {
  expect(isVisitPaid({ amountDueMinor }, { ...visit, capturedMinor }, of)).toBe(isPaid);
});
