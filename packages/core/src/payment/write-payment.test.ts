import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { anAppointment, aPayment, now, problem, value } from '../../test/support.ts';
import { emptyLedger } from '../host/host.ts';
import type { Change, ChangeKind, CommitError, Store, StoreUnavailable } from '../ports/store.ts';
import { err, errAsync, ok, okAsync, type Result } from '../values/result.ts';
import type { Payment } from './payment.ts';
import {
  compareAgain,
  compareForeign,
  holdPayment,
  letGo,
  maxTries,
  writeBooks,
  writePayment,
} from './write.ts';

const work = { kind: 'capture', fence: 2, attempt: 2, leaseUntil: now } as const;
const held = { ...aPayment({ work }), work };
const unavailable: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };
const conflict = (change: ChangeKind) => ({ kind: 'storeConflict', change }) as const;

interface Given {
  /** How the commits end, in turn; the last of them for all others. */
  readonly commits?: readonly Result<void, CommitError>[];
  readonly stored?: Result<Payment | undefined, StoreUnavailable>;
  readonly dueMinor?: bigint | undefined;
}

/** Ports over a store with these replies, and the changes of its commits. */
function given({ commits = [ok()], stored = ok(held), dueMinor }: Given = {}) {
  const { ports, seen } = testPorts();
  const committed: (readonly Change[])[] = [];
  const payments: Partial<Store['payments']> = {
    get: () => (stored.isOk() ? okAsync(stored.value) : errAsync(stored.error)),
  };
  const store: Store = {
    ...ports.store,
    // cast: a write reads no other part of the payments
    payments: payments as Store['payments'],
    appointments: {
      ...ports.store.appointments,
      get: (id) =>
        dueMinor === undefined
          ? errAsync(unavailable)
          : okAsync(anAppointment({ id, amountDueMinor: dueMinor })),
    },
    ledgers: { get: (id) => okAsync({ ...emptyLedger(id), capturedMinor: 4537n }) },
    commit({ changes }) {
      const end = commits[committed.length] ?? commits.at(-1) ?? ok();
      committed.push(changes);
      return end.isOk() ? okAsync(undefined) : errAsync(end.error);
    },
  };
  return { ports: { ...ports, store }, committed, seen };
}

describe('a write of a payment', () => {
  const unchanged = (payment: Payment) => ({ payment, passed: [] });

  it.each(['updatePayment', 'moveLedger'] as const)(
    'is repeated a few times after another change: %s',
    async (change) => {
      const { ports, committed } = given({ commits: [err(conflict(change))] });
      expect(problem(await writePayment(ports, held, unchanged))).toEqual(conflict(change));
      expect(committed).toHaveLength(maxTries);
    },
  );

  it('is based on the stored payment, if this call still holds it', async () => {
    const stored = ok({ ...held, version: 7 });
    const commits = [err(conflict('updatePayment')), ok()];
    const { ports, committed } = given({ commits, stored });
    expect(value(await writePayment(ports, held, unchanged)).version).toBe(8);
    expect(committed.at(-1)).toMatchObject([{ kind: 'updatePayment', expectedVersion: 7 }]);
  });

  it.each<[string, Payment, CommitError, Given['stored'], CommitError?]>([
    ['another change has failed', held, conflict('insertKey'), ok(held)],
    ['the store is unavailable', held, unavailable, ok(held)],
    ['this call does not hold the payment', aPayment(), conflict('updatePayment'), ok(aPayment())],
    ['the payment cannot be read', held, conflict('updatePayment'), err(unavailable), unavailable],
    ['the payment is gone', held, conflict('updatePayment'), ok(undefined)],
    [
      'another call holds it now',
      held,
      conflict('updatePayment'),
      ok({ ...held, work: { ...work, fence: 3 } }),
    ],
  ])('is not repeated if %s', async (_, payment, error, stored, expected = error) => {
    const { ports, committed } = given({ commits: [err(error)], ...(stored && { stored }) });
    expect(problem(await writePayment(ports, payment, unchanged))).toEqual(expected);
    expect(committed).toHaveLength(1);
  });

  it('is not made if the review that it ends cannot be read', async () => {
    const unsettled = aPayment({ state: 'captured', capturedMinor: 4537n, review: 'unsettled' });
    const { ports, committed } = given({ dueMinor: 4536n, stored: ok(unsettled) });
    const settle = () => unchanged(aPayment());
    expect(problem(await writePayment(ports, unsettled, settle))).toEqual(unavailable);
    expect(await compareAgain(ports, unsettled)).toBe(unsettled);
    expect(committed).toEqual([]);
    expect(value(await writePayment(ports, unsettled, unchanged)).review).toBe('unsettled');
  });

  it('writes no capture of another system that it cannot compare (D13)', async () => {
    const { ports, committed } = given();
    const captured = (payment: Payment) => ({ ...unchanged(payment), capturedMinor: 4537n });
    expect(problem(await writeBooks(ports, held, captured))).toEqual(unavailable);
    expect(committed).toEqual([]);
  });
});

describe('the work of a payment', () => {
  it('is held until its lease ends, without an event', async () => {
    const { ports, committed } = given();
    const taken = { ...work, fence: 3, leaseUntil: now + 9 };
    const after = { ...held, work: taken, nextCheckAt: now + 9, version: 2 };
    expect(value(await holdPayment(ports, held, taken))).toEqual(after);
    expect(committed).toEqual([[{ kind: 'updatePayment', payment: after, expectedVersion: 1 }]]);
  });

  it('keeps its key at the processor, unless that key only replays a failure (D20)', async () => {
    const { ports } = given();
    const kept = value(await letGo(ports, held, 'unknown'));
    expect(kept).toMatchObject({ checks: 1, nextCheckAt: now + 5000, work: { attempt: 2 } });
    expect(value(await letGo(ports, held, 'unknown', true)).work?.attempt).toBe(3);
  });
});

describe('the second comparison of a capture of another system (D13)', () => {
  const payment = aPayment({ state: 'captured', capturedMinor: 4537n });
  const lowered = { stored: ok(payment), dueMinor: 4536n };
  const captureSeen = () => ({ payment, passed: [], capturedMinor: 4537n });
  const marked = { ...payment, review: 'capturedBeyondDue', nextCheckAt: now, version: 2 };

  it('marks a payment that is not due any more, once', async () => {
    const { ports, committed } = given(lowered);
    expect(await compareAgain(ports, payment)).toEqual(marked);
    expect(committed.map((changes) => changes.map(({ kind }) => kind))).toEqual([
      ['updatePayment', 'insertReview', 'appendEvent'],
    ]);
  });

  it('compares one that the books have shown first, and one of ours never', async () => {
    const { ports, committed } = given({ ...lowered, dueMinor: 9074n });
    const first = value(await writeBooks(ports, aPayment(), captureSeen));
    expect(first.review).toBeUndefined();
    expect(committed[0]?.[1]).toMatchObject({ kind: 'moveLedger', maxCommittedMinor: 9074n });
    const unread = given();
    const reserved = aPayment({ reserved: true });
    expect(value(await writeBooks(unread.ports, reserved, captureSeen)).review).toBeUndefined();
    expect(unread.committed[0]?.[1]).not.toHaveProperty('maxCommittedMinor');
  });

  it.each([
    ['its own visit', 3000n, 1537n],
    ['the other visit', 1537n, 3000n],
  ])('bounds a payment for two visits by what each owes, first %s', async (_, own, child) => {
    const part = { barberId: 'barber-1', tipMinor: 0n };
    const shares = [
      { ...part, appointmentId: 'appointment-1', amountMinor: own },
      { ...part, appointmentId: 'child', amountMinor: child },
    ];
    const step = { payment: { ...payment, shares }, passed: [], capturedMinor: 4537n };
    const compare = async (dueMinor: bigint) =>
      value(await compareForeign(given({ dueMinor }).ports, aPayment({ shares }), step));
    const { isForeign, changes } = await compare(4537n + 3000n);
    expect(isForeign).toBe(true);
    const bound = { kind: 'moveLedger', maxCommittedMinor: 4537n + 3000n };
    expect(changes.slice(1, 3)).toMatchObject([bound, bound]);
    const undue = { isForeign: false, after: { review: 'capturedBeyondDue' } };
    expect(await compare(4537n + 2999n)).toMatchObject(undue);
  });

  it('reads the open days only for a capture that is new and was denied (D201)', async () => {
    const timeline = [{ at: now, what: 'canceled', cause: 'word' }];
    const denied = aPayment({ state: 'canceled', timeline });
    const step = { payment: { ...payment, capturedAt: now }, passed: [], capturedMinor: 4537n };
    const compare = (before: Payment) =>
      compareForeign(given({ dueMinor: 9074n }).ports, before, step);
    expect(problem(await compare(denied))).toEqual(unavailable);
    for (const before of [aPayment(), { ...denied, capturedAt: now }])
      expect(value(await compare(before)).after.capturedAt).toBe(now);
  });

  it.each<[string, Given, number]>([
    ['that is due', { dueMinor: 4537n }, 0],
    ['whose appointment cannot be read, which the observer sees', {}, 0],
    ['that others change again and again', { ...lowered, commits: [err(unavailable)] }, 8],
  ])('leaves a payment %s', async (_, replies, writes) => {
    const { ports, committed, seen } = given(replies);
    const after = await compareAgain(ports, payment);
    expect(after).toEqual(payment);
    expect(committed).toHaveLength(writes);
    const isUnread = seen.some(({ kind }) => kind === 'failure');
    expect(isUnread).toBe(replies.dueMinor === undefined);
  });

  it('leaves a payment with another reason', async () => {
    const { ports, committed } = given(lowered);
    const reviewed = aPayment({ ...payment, review: 'capturedAnotherAmount' });
    expect(await compareAgain(ports, reviewed)).toBe(reviewed);
    expect(committed).toEqual([]);
  });

  it('marks the stored payment after another change', async () => {
    const stored = ok({ ...payment, version: 7 });
    const commits = [err(conflict('updatePayment')), ok()];
    const { ports, committed } = given({ ...lowered, stored, commits });
    expect(await compareAgain(ports, payment)).toEqual({ ...marked, version: 8 });
    expect(committed.at(-1)?.[0]).toMatchObject({ expectedVersion: 7 });
  });
});
