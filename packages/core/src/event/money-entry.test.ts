import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problem, value } from '../../test/support.ts';
import { type CloudEvent, moneyEntriesOf, moneyEntryOf } from './wire.ts';

const data = {
  contactlessPaymentId: 'cpm_1',
  appointmentId: 'visit',
  businessId: 'shop',
  amount: '50.00',
  currency: 'eur',
};

function event(type: string, more: object = {}): CloudEvent {
  const { specversion, datacontenttype } = {
    specversion: '1.0',
    datacontenttype: 'application/json',
  };
  const made: unknown = {
    specversion,
    datacontenttype,
    id: 'cpm_1/4',
    source: 'urn:chairside:chairside',
    type: `contactlessPayment.${type}`,
    subject: 'cpm_1',
    time: '2026-11-21T09:00:00.000Z',
    sequence: '0000000000000004',
    data: { ...data, ...more },
  };
  return made as CloudEvent; // cast: some of these events are malformed on purpose
}

describe('moneyEntryOf', () => {
  it.each([
    ['a capture', 'captured', {}, { paidMinor: 5000n, tipMinor: 0n, feeMinor: 0n }],
    ['a tip', 'captured', { tip: '5.00' }, { paidMinor: 4500n, tipMinor: 500n, feeMinor: 0n }],
    ['a deposit', 'captured', { purpose: 'deposit' }, { paidMinor: 5000n, feeMinor: 0n }],
    ['a missed visit', 'captured', { purpose: 'noShow' }, { paidMinor: 0n, feeMinor: 5000n }],
    [
      'a refund',
      'refunded',
      { refundId: 'rfd_1', tip: '5.00' },
      { paidMinor: -4500n, tipMinor: -500n },
    ],
    ['a refunded fee', 'refunded', { refundId: 'rfd_1', purpose: 'noShow' }, { feeMinor: -5000n }],
    [
      'a capture that was none',
      'canceled',
      { corrects: 'captured' },
      { paidMinor: 0n, tipMinor: 0n },
    ],
    ['a failed refund', 'refundFailed', { refundId: 'rfd_1' }, { paidMinor: 0n, tipMinor: 0n }],
  ])('keeps the parts of %s apart', (_, type, more, parts) => {
    const reference = 'refundId' in more ? more.refundId : 'cpm_1';
    const entry = value(moneyEntryOf(event(type, more)));
    expect(entry).toMatchObject({ reference, appointmentId: 'visit', currency: 'eur', ...parts });
  });

  it.each(['created', 'canceled', 'refundPending', 'disputed', 'disputeLost', 'aTypeOfNextYear'])(
    'says that %s moves no money',
    (type) => {
      expect(value(moneyEntryOf(event(type)))).toBeUndefined();
    },
  );

  it('returns an error for a malformed event', () => {
    const spoiled = fc.anything().filter((given) => typeof given !== 'string');
    fc.assert(
      fc.property(
        fc.constantFrom('contactlessPaymentId', 'appointmentId', 'amount', 'currency', 'refundId'),
        spoiled.filter((given) => given !== undefined),
        (member, given) => {
          const refunded = event('refunded', { refundId: 'rfd_1', [member]: given });
          expect(problem(moneyEntryOf(refunded))).toBe('malformed');
        },
      ),
    );
    for (const amount of ['', '45', '45.000', '1e3']) {
      expect(problem(moneyEntryOf(event('captured', { amount })))).toBe('malformed');
    }
  });

  it('throws for no value', () => {
    const types = ['captured', 'canceled', 'refunded', 'refundFailed', 'shared'].map(
      (type) => event(type).type,
    );
    const odd = fc.record({ type: fc.constantFrom(...types), data: fc.anything() });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), odd), (given) => {
        const told = given as CloudEvent; // cast: hosts without types may pass any value
        expect(() => moneyEntryOf(told)).not.toThrow();
        expect(() => moneyEntriesOf(told)).not.toThrow();
      }),
    );
    for (const type of types) {
      const bare = { type } as CloudEvent; // cast: the same
      expect(() => moneyEntriesOf(bare)).not.toThrow();
    }
  });
});

describe('moneyEntriesOf', () => {
  const share = { appointmentId: 'other', barberId: 'ben', amount: '50.00', tip: '45.00' };
  const shared = { shares: [share], moves: [{ ...share, appointmentId: 'third' }] };
  const paidMinor = 500n;
  const tipMinor = 4500n;
  const none = { paidMinor: 0n, tipMinor: 0n };

  it.each([
    ['captured', {}, { paidMinor, tipMinor }],
    ['canceled', { corrects: 'captured' }, none],
    ['refunded', {}, { paidMinor: -paidMinor, tipMinor: -tipMinor }],
    ['refundFailed', {}, none],
  ])('has a row for each visit of a shared payment: %s', (type, more, parts) => {
    const { shares } = shared;
    const entries = value(moneyEntriesOf(event(type, { tip: '45.00', ...more, shares })));
    const row = (appointmentId: string) => ({ appointmentId, currency: 'eur', feeMinor: 0n });
    expect(entries).toMatchObject([
      { ...row('visit'), ...none },
      { ...row('other'), ...parts },
    ]);
  });

  it('has one row of a payment that was not shared', () => {
    const captured = event('captured');
    expect(value(moneyEntriesOf(captured))).toEqual([value(moneyEntryOf(captured))]);
  });

  it('returns an error for a malformed event', () => {
    expect(value(moneyEntriesOf(event('shared', shared)))).toHaveLength(3);
    const members = ['contactlessPaymentId', 'appointmentId', 'currency', 'shares', 'moves'];
    const spoiled = [
      null,
      ...[7, undefined].flatMap((odd) => [
        ...members.map((name) => event('shared', { ...shared, [name]: odd })),
        { ...event('shared', shared), sequence: odd },
        { ...event('shared', shared), data: odd },
        { ...event('shared', shared), type: odd },
        { ...event('captured', shared), data: odd },
      ]),
      event('captured', { shares: 7 }),
      event('captured', { shares: [null] }),
      event('captured', { shares: [{ ...share, amount: '7' }] }),
      event('captured', { shares: [{ ...share, tip: '7' }] }),
      event('captured', { shares: [{ ...share, appointmentId: 7 }] }),
    ];
    // cast: hosts without types may pass any value
    for (const one of spoiled) expect(problem(moneyEntriesOf(one as CloudEvent))).toBe('malformed');
  });
});
