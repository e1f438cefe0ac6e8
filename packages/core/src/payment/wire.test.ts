import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { aPayment, card, now } from '../../test/support.ts';
import { viewCharge } from '../charge/wire.ts';
import { terminalSchema, viewTerminal } from '../terminal/wire.ts';
import type { Card } from './payment.ts';
import { contactlessPaymentSchema, viewOpening, viewPayment } from './wire.ts';

const opening = {
  id: 'cpm_1',
  appointment: aPayment().appointment,
  amount: '45.37',
  state: 'created',
  clientSecret: 'secret_1',
  expiresAt: '2026-11-21T09:15:00.000Z',
  createdAt: '2026-11-21T09:00:00.000Z',
  updatedAt: '2026-11-21T09:00:00.000Z',
};

const captured = aPayment({
  state: 'captured',
  version: 9,
  reference: 'pi_1',
  card,
  authorizedAt: now + 1000,
  capturedAt: now + 2000,
  expiresAt: now + 3000,
  updatedAt: now + 4000,
  review: 'capturedAnotherAmount',
  timeline: [{ at: now, what: 'opening', cause: 'create' }],
  work: { kind: 'capture', fence: 1, attempt: 1, leaseUntil: now },
  nextCheckAt: now,
});

describe('the view of a payment', () => {
  it('has the given members, and none of our internal ones', () => {
    expect(viewPayment(captured)).toEqual({
      ...opening,
      state: 'captured',
      externalPaymentReference: { id: 'pi_1', paymentProcessor: 'processor_a' },
      card,
      authorizedAt: '2026-11-21T09:00:01.000Z',
      capturedAt: '2026-11-21T09:00:02.000Z',
      expiresAt: '2026-11-21T09:00:03.000Z',
      updatedAt: '2026-11-21T09:00:04.000Z',
    });
    expect(viewPayment(aPayment())).toEqual(opening);
    expect(viewPayment({ ...captured, state: 'canceled' })).not.toHaveProperty('capturedAt');
  });

  it('shows no reference before a card was presented (D21)', () => {
    const shown = (state: 'created' | 'processing') =>
      viewPayment(aPayment({ state, reference: 'pi_1' })).externalPaymentReference;
    expect(shown('created')).toBeUndefined();
    expect(shown('processing')).toEqual({ id: 'pi_1', paymentProcessor: 'processor_a' });
  });

  it('is valid', () => {
    for (const payment of [aPayment(), captured]) {
      expect(v.is(contactlessPaymentSchema, viewPayment(payment))).toBe(true);
    }
  });
});

describe('the view of an opened payment', () => {
  it('is the same byte for byte, after all later changes (D21)', () => {
    const first = JSON.stringify(viewOpening(aPayment()));
    expect(JSON.parse(first)).toEqual(opening);
    expect(JSON.stringify(viewOpening(captured))).toBe(first);
  });

  it('has an empty secret before the processor gave one', () => {
    const { clientSecret: _none, ...unopened } = aPayment();
    expect(viewOpening(unopened).clientSecret).toBe('');
  });
});

describe('the view of a charge', () => {
  it('has the members of its card in our order, also if the processor has another (D21)', () => {
    const charge = {
      purpose: 'deposit',
      setupId: 'pms_1',
      customerId: 'customer_1',
      setupReference: 'seti_1',
      paymentMethod: 'pm_1',
      agreedAt: now,
      agreementRef: 'deposits',
    } as const;
    const viewed = (members: Card) => {
      const payment = aPayment({ state: 'captured', charge, card: members });
      return JSON.stringify(viewCharge({ ...payment, clientSecret: 'secret_1', charge }));
    };
    const { network, ...others } = card;
    expect(viewed({ network, ...others })).toBe(viewed(card));
  });
});

describe('the view of a terminal', () => {
  it('does not name its barber', () => {
    const device = { platform: 'ios', deviceIdentifier: 'device-1', osVersion: '17' } as const;
    const whose = { barberId: 'barber-1', businessId: 'business-1' };
    const view = viewTerminal({ id: 'trm_1', ...device, ...whose, createdAt: now, updatedAt: now });
    const at = '2026-11-21T09:00:00.000Z';
    expect(view).toEqual({ id: 'trm_1', ...device, createdAt: at, updatedAt: at });
    expect(v.is(terminalSchema, view)).toBe(true);
  });
});
