import { describe, expect, it } from 'vitest';
import { type Charge, dueMinorFor } from '../src/domain/charge.ts';
import { chargeRefusalOf, keysKeptUntil } from '../src/domain/payment.ts';
import { hourMs } from '../src/domain/time.ts';
import { anAppointment, aPayment, now } from './support.ts';

const charge: Charge = {
  purpose: 'noShow',
  setupId: 'pms_1',
  customerId: 'customer',
  setupReference: 'seti_1',
  paymentMethod: 'pm_1',
  agreedAt: now,
  agreementRef: 'terms-7',
};

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

describe('the refusal of a charge (D49)', () => {
  const canceling = { at: now, what: 'canceling', cause: 'methodGone' } as const;

  it.each([
    ['is the cause of its cancelation', { charge, timeline: [canceling] }, 'methodGone'],
    ['is none of a payment with a card', { timeline: [canceling] }, undefined],
    ['is none of a charge that was canceled', { charge, timeline: [] }, undefined],
  ] as const)('%s', (_, over, refusal) => {
    expect(chargeRefusalOf(aPayment(over))).toBe(refusal);
  });
});

it('the keys of a payment are kept for 72 hours after its last change (D21)', () => {
  expect(keysKeptUntil(aPayment({ timeline: [] }))).toBe(now + 72 * hourMs);
  const captured = aPayment({ capturedAt: now + 1, timeline: [] });
  expect(keysKeptUntil(captured)).toBe(now + 1 + 72 * hourMs);
});
