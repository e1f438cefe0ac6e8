import { describe, expect, it } from 'vitest';
import { anAppointment, aPayment, now, problem, value } from '../../test/support.ts';
import type { OpenedSetup } from '../setup/setup.ts';
import { formatTimestamp, hourMs, minuteMs } from '../values/time.ts';
import type { Charge } from './charge.ts';
import {
  type ChargeRecords,
  decideCharge,
  type RequestedCharge,
  whyFull,
} from './charge-payment-method.ts';
import { viewCharge } from './wire.ts';

const charge: Charge = {
  purpose: 'noShow',
  setupId: 'pms_1',
  customerId: 'customer',
  setupReference: 'seti_1',
  paymentMethod: 'pm_1',
  agreedAt: now,
  agreementRef: 'terms-7',
};

const setup: OpenedSetup = {
  id: 'pms_1',
  customerId: 'customer',
  savePaymentMethod: true,
  version: 1,
  clientSecret: 'secret_1',
  reference: 'seti_1',
  createdAt: now,
  expiresAt: now + hourMs,
};
const single = { ...setup, savePaymentMethod: false };
const missed = { customerId: 'customer', isMissed: true, noShowFeeMinor: 1500n } as const;
const ledger = { appointmentId: 'a', capturedMinor: 0n, reservedMinor: 0n, openPayments: 0 };
const of = (terms: Parameters<typeof anAppointment>[0]) => ({ appointment: anAppointment(terms) });

/** Decides on a deposit of a saved method that is free, but for these changes. */
function decide(over: Partial<ChargeRecords>, request: Partial<RequestedCharge>) {
  const account = { id: 'acct_1', currency: 'eur' };
  const records: ChargeRecords = {
    ...of(missed),
    setup,
    use: 'free',
    holder: undefined,
    ledger,
    visit: undefined,
    business: { id: 'business-1', name: 'Old Town', processorAccount: account },
    ...over,
  };
  const requested = { purpose: 'deposit', amountMinor: 1500n, agreedAt: now, ...request } as const;
  return decideCharge(requested, records, now);
}

describe('a charge that is asked for (D49)', () => {
  const deposit = aPayment({ charge: { ...charge, purpose: 'deposit' }, state: 'captured' });
  const freed = aPayment({ charge, state: 'canceled' });
  const noShow = { purpose: 'noShow' } as const;
  const held = { ...ledger, chargeId: 'chg_1' };
  const paid = (capturedMinor: bigint) => ({ ...ledger, capturedMinor, currency: 'eur' });
  const costless = { ...of({ ...missed, amountDueMinor: 0n }), visit: paid(100n) };

  it.each<[string, Partial<ChargeRecords>, Partial<RequestedCharge>]>([
    ['a deposit', {}, {}],
    ['an agreement of five minutes ahead', {}, { agreedAt: now + 5 * minuteMs }],
    ['a fee, beside a deposit', { visit: { ...ledger, chargeId: 'chg_1' } }, noShow],
    ['a fee, of a visit that was paid in part', { visit: paid(4536n) }, noShow],
    ['a fee, of a visit that costs nothing', costless, noShow],
    ['a fee above the amount due', of({ ...missed, amountDueMinor: 1n }), noShow],
    ['the method of the appointment', { setup: single, ...of(itsOwn({})) }, {}],
    ["its customer's", { setup: single, ...of(itsOwn({ customerId: 'customer' })) }, {}],
  ])('is begun: %s', (_, over, request) => {
    const begun = value(decide(over, request));
    expect(begun).toMatchObject({ setup: { id: 'pms_1' }, account: { id: 'acct_1' } });
    expect(begun).toMatchObject({ amountMinor: 1500n, tipMinor: 0n });
  });

  const faults: readonly [string, string, Partial<ChargeRecords>, Partial<RequestedCharge>][] = [
    ['an agreement of the future', '/agreedAt', {}, { agreedAt: now + 5 * minuteMs + 1 }],
    ['no such setup', '/paymentMethodSetupId', { setup: undefined }, {}],
    ['a withdrawn method', 'methodReleased', { setup: { ...setup, releasedAt: 0 } }, {}],
    ['a method that is used up', 'methodUsed', { use: 'usedUp' }, {}],
    ['a method under way', 'chargeUnderWay', { use: 'underWay' }, {}],
    ['a fee under way', 'reservedElsewhere', { ledger: held, holder: aPayment() }, noShow],
    ['a fee just canceled', 'reservedElsewhere', { ledger: held, holder: freed }, noShow],
    ['a fee just withdrawn', 'reservedElsewhere', { ledger: held, holder: undefined }, noShow],
    ['a second fee', 'alreadyCharged', { ledger: held, holder: deposit }, noShow],
    ['a visit that was paid', 'visitPaid', { ledger, visit: paid(4537n) }, noShow],
    [
      'a visit paid in dollars',
      'currencyChanged',
      { visit: { ...paid(1n), currency: 'usd' } },
      noShow,
    ],
    ['a visit that took place', 'notMissed', of({ ...missed, isMissed: false }), noShow],
    ['more than the fee', '/amount', of(missed), { ...noShow, amountMinor: 1501n }],
    ['another currency', 'currencyChanged', { ledger: { ...ledger, currency: 'usd' } }, noShow],
  ];

  it('is refused for the first of its faults', () => {
    let records: Partial<ChargeRecords> = {};
    let asked: Partial<RequestedCharge> = {};
    for (const [fault, why, over, request] of faults.toReversed()) {
      records = { ...records, ...over };
      asked = { ...asked, ...request };
      const { reason, pointer } = problem(decide(records, asked)).attributes ?? {};
      expect(reason ?? pointer, fault).toBe(why);
    }
  });

  it('is refused where the shop takes no cards', () => {
    const refused = problem(decide({ business: undefined, visit: paid(1n) }, noShow));
    expect(refused.type).toBe('paymentProviderNotSetup');
  });

  it.each<[string, OpenedSetup, ChargeRecords['appointment']]>([
    ['another customer', setup, anAppointment({ customerId: 'other' })],
    ['no customer', setup, anAppointment()],
    ['another appointment', single, anAppointment({ customerId: 'customer' })],
    ['another customer, for one visit', single, anAppointment(itsOwn({ customerId: 'other' }))],
    ['another customer, named by it', setup, anAppointment(itsOwn({}))],
  ])('is refused for the method of %s', (_, theirs, appointment) => {
    const refused = problem(decide({ setup: theirs, appointment }, {}));
    expect(refused.attributes).toEqual({ pointer: '/paymentMethodSetupId' });
  });

  function itsOwn(terms: Parameters<typeof anAppointment>[0]) {
    return { ...terms, paymentMethodSetupId: 'pms_1' };
  }
});

describe('a charge whose reservation did not fit (D49)', () => {
  it.each([
    ['is of a visit that was paid', 'noShow', {}, 'visitPaid'],
    ['waits for another fee', 'noShow', { reservedMinor: 1n }, 'reservedElsewhere'],
    ['has too many beside it', 'deposit', { openPayments: 50 }, 'tooManyOpenPayments'],
    ['is not due any more', 'deposit', { capturedMinor: 3038n }, 'exceedsRemainingBalance'],
    ['is still due', 'deposit', { capturedMinor: 3037n }, 'reservedElsewhere'],
  ] as const)('%s', (_, purpose, over, reason) => {
    const payment = aPayment({ amountMinor: 1500n, charge: { ...charge, purpose } });
    const visit = {
      ...ledger,
      capturedMinor: reason === 'visitPaid' ? 4537n : 0n,
      currency: 'eur',
    };
    const full = whyFull(payment, anAppointment(missed), { ...ledger, ...over }, visit);
    expect(full.attributes).toMatchObject({ reason });
  });
});

it('a charge shows why it was refused or when it was captured, as its end is', () => {
  const timeline = [{ at: now, what: 'canceling', cause: 'declined' }];
  const shown = (state: 'captured' | 'canceled') => {
    const ended = { ...aPayment({ state, timeline, capturedAt: now }), clientSecret: '', charge };
    const { refusal, capturedAt } = viewCharge(ended);
    return { refusal, capturedAt };
  };
  expect(shown('captured')).toEqual({ capturedAt: formatTimestamp(now) });
  expect(shown('canceled')).toEqual({ refusal: 'declined' });
});
