import { describe, expect, it } from 'vitest';
import { aPayment, charge, entry, now } from '../../test/support.ts';
import { type BooksStep, followBooks } from './follow.ts';
import type { Payment } from './payment.ts';
import { boundsOf, changesOf, presentEvent, slotChange } from './write.ts';

function eventsOf({ changes }: ReturnType<typeof changesOf>) {
  return changes.flatMap((change) => (change.kind === 'appendEvent' ? [change.event] : []));
}

function partOf(appointmentId: string, amountMinor = 1n) {
  return { appointmentId, barberId: 'barber-1', amountMinor, tipMinor: 0n };
}

describe('the changes of a payment', () => {
  it('are its next version alone if neither its state nor its amounts move', () => {
    const before = aPayment({ state: 'captured', charge });
    const after = { ...before, version: 2 };
    expect(changesOf({}, before, { payment: before, passed: [] })).toStrictEqual({
      after,
      changes: [{ kind: 'updatePayment', payment: after, expectedVersion: 1 }],
    });
  });

  it('count a capture on the ledger, even if the payment was canceled here (D15)', () => {
    const before = aPayment({ state: 'canceled' });
    const followed = followBooks(before, entry({ status: 'captured' }), now, 'a test');
    const { changes } = changesOf({}, before, followed);
    expect(changes[1]).toEqual({
      kind: 'moveLedger',
      appointmentId: 'appointment-1',
      openPayments: 0,
      reservedMinor: 0n,
      capturedMinor: 4537n,
      tipsMinor: 0n,
      currency: 'eur',
    });
    expect(changes[2]?.kind).toBe('appendEvent');
  });

  it('bound the ledger only if the write has a bound (D13)', () => {
    const before = aPayment();
    const followed = followBooks(before, entry({ status: 'captured' }), now, 'a test');
    const boundOf = (bound?: bigint) =>
      changesOf(
        {},
        before,
        followed,
        bound === undefined ? bound : boundsOf([['appointment-1', bound]]),
      ).changes.find(({ kind }) => kind === 'moveLedger');
    expect(boundOf(9n)).toHaveProperty('maxCommittedMinor', 9n);
    expect(boundOf()).not.toHaveProperty('maxCommittedMinor');
  });

  it('have an event for each state; that of the capture has the captured amount (D26)', () => {
    const before = aPayment();
    const seen = entry({ status: 'captured', capturedMinor: 1n });
    const events = eventsOf(changesOf({}, before, followBooks(before, seen, now, 'a test')));
    const about = {
      contactlessPaymentId: 'cpm_1',
      appointmentId: 'appointment-1',
      businessId: 'business-1',
      barberId: 'barber-1',
      currency: 'eur',
    };
    const frame = { subject: 'cpm_1', occurredAt: now };
    expect(events.slice(0, 2)).toStrictEqual([
      {
        ...frame,
        version: 2,
        type: 'contactlessPayment.authorized',
        data: { ...about, amount: '45.37', state: 'authorized' },
      },
      {
        ...frame,
        version: 3,
        type: 'contactlessPayment.captured',
        data: { ...about, amount: '0.01', state: 'captured' },
      },
    ]);
  });

  it('move the parts of a shared capture to their visits, and back if it took no money', () => {
    const shares = [partOf('appointment-1', 4536n), partOf('child')];
    const captured = aPayment({ state: 'captured', capturedAt: now - 1, shares });
    const entriesOf = (before: Payment, step: Omit<BooksStep, 'passed'>) =>
      changesOf({}, before, { ...step, passed: [] })
        .changes.flatMap((change) => (change.kind === 'insertShare' ? [change.share] : []))
        .map(({ appointmentId, amountMinor, at }) => [appointmentId, amountMinor, at]);
    expect(entriesOf({ ...captured, state: 'authorized' }, { payment: captured })).toEqual([
      ['appointment-1', -1n, now - 1],
      ['child', 1n, now - 1],
    ]);
    const lost = { payment: { ...captured, state: 'canceled' }, correctedAt: now } as const;
    expect(entriesOf(captured, lost)).toEqual([
      ['appointment-1', 1n, now],
      ['child', -1n, now],
    ]);
    expect(entriesOf(captured, { payment: captured })).toEqual([]);
    const [told] = eventsOf(changesOf({}, captured, { payment: captured, passed: ['captured'] }));
    const named = [{ appointmentId: 'appointment-1' }, { appointmentId: 'child', amount: '0.01' }];
    expect(told?.data).toMatchObject({ shares: named });
  });

  it('are told again as the state is now, with the capture that it corrects (D201)', () => {
    const dataOf = (over: Partial<Payment>) => presentEvent(aPayment(over)).data;
    expect(dataOf({ state: 'canceled' })).not.toHaveProperty('corrects');
    const capturedMinor = 1n;
    expect(dataOf({ state: 'canceled', capturedMinor })).toHaveProperty('corrects', 'captured');
    expect(dataOf({ state: 'captured', capturedMinor })).toHaveProperty('amount', '0.01');
  });

  it('name the refusal of a charge only where it is canceled (D49)', () => {
    const dataOf = (timeline: Payment['timeline']) => {
      const payment = aPayment({ state: 'canceled', version: 3, charge, timeline });
      const followed = { payment, passed: ['created', 'canceled'] } as const;
      return eventsOf(changesOf({}, aPayment({ charge }), followed)).map(({ data }) => data);
    };
    const [created, canceled] = dataOf([{ at: now, what: 'canceling', cause: 'declined' }]);
    expect(created).toHaveProperty('purpose', 'deposit');
    expect(created).not.toHaveProperty('refusal');
    expect(canceled).toMatchObject({ purpose: 'deposit', refusal: 'declined' });
    expect(canceled).not.toHaveProperty('corrects');
    expect(dataOf([])[1]).not.toHaveProperty('refusal');
  });
});

it.each([
  ['its own visit', [], ['appointment-1']],
  [
    'its own visit, while a part of it is there',
    ['child', 'appointment-1'],
    ['appointment-1', 'child'],
  ],
  ['the first of other visits', ['child', 'other', 'child'], ['child', 'other']],
])('a charge holds the slot of %s, and may free any', (_, visits, slots) => {
  const payment = aPayment({ charge, shares: visits.map((id) => partOf(id)) });
  const move = { kind: 'moveSlot', chargeId: payment.id };
  expect(slotChange(payment, 'free')).toEqual(
    slots.map((appointmentId) => ({ ...move, appointmentId, move: 'free' })),
  );
  expect(slotChange(payment, 'keep')).toMatchObject([{ appointmentId: slots[0], move: 'keep' }]);
});
