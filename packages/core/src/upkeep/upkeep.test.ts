import { describe, expect, it } from 'vitest';
import { noProcessor } from '../../test/no-processor.ts';
import { portsOver, storeOf, testPorts } from '../../test/ports.ts';
import { anAppointment, aPayment, entry, now, problem, value } from '../../test/support.ts';
import { createChairside } from '../chairside.ts';
import { keyRetentionMs } from '../frame/record.ts';
import type { Payment, ProcessorPayment } from '../payment/payment.ts';
import type { Change, Store } from '../ports/store.ts';
import { okAsync, resultOf } from '../values/result.ts';
import { hourMs } from '../values/time.ts';
import type { UpkeepInput } from './upkeep.ts';
import { finishDuePayment, postponePayment } from './upkeep.ts';

const { store, clock } = testPorts().ports;
const chairside = createChairside({ store, clock, processor: noProcessor });

// cast: hosts without types may pass it
const asInput = (given: unknown) => given as UpkeepInput;

describe('upkeep and reconcile never throw', () => {
  it.each([[null], ['20 s'], [7]])('input %j: 400, and no work is done', async (given) => {
    for (const run of [chairside.upkeep, chairside.reconcile]) {
      expect(problem(await run(asInput(given)))).toMatchObject({
        type: 'badRequest',
        recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
      });
    }
  });

  it.each([[10n], [Symbol('time')]])('forMs %o: a problem', async (forMs) => {
    expect(problem(await chairside.upkeep(asInput({ forMs }))).type).toBe('internalError');
  });

  it('if the clock throws: a problem', async () => {
    const broken = createChairside({
      store,
      processor: noProcessor,
      clock: {
        now: () => {
          throw new Error('no time');
        },
      },
    });
    expect(problem(await broken.upkeep()).type).toBe('internalError');
  });
});

describe('a payment that upkeep compares', () => {
  /** At a processor that shows it so. */
  async function finished(payment: Payment, seen?: ProcessorPayment) {
    const changes: Change[] = [];
    const store: Partial<Store> = {
      ...storeOf(payment),
      appointments: {
        ...portsOver({}).store.appointments,
        get: () => okAsync(anAppointment()),
      },
      commit(commit) {
        changes.push(...commit.changes);
        return okAsync(undefined);
      },
    };
    const ports = portsOver(store, { readPayment: () => okAsync(seen) });
    const end = await resultOf(finishDuePayment(ports, payment));
    return { end, kinds: changes.map(({ kind }) => kind) };
  }

  it('is not finished if the processor does not show it', async () => {
    const { end, kinds } = await finished(aPayment());
    expect(problem(end)).toMatchObject({
      type: 'serviceUnavailable',
      recovery: { outcome: 'notApplied' },
    });
    expect(kinds).toEqual([]);
  });

  it('is due again when its keys end, once the processor has canceled it', async () => {
    const { end } = await finished(aPayment(), entry({ status: 'canceled' }));
    expect(value(end)).toMatchObject({ state: 'canceled', nextCheckAt: now + keyRetentionMs });
  });

  it('is only put off while its keys are kept', async () => {
    const { end, kinds } = await finished(aPayment({ state: 'captured', capturedAt: now + 9 }));
    expect(value(end).nextCheckAt).toBe(now + 9 + keyRetentionMs);
    expect(kinds).toEqual(['updatePayment']);
  });
});

describe('a payment that upkeep cannot finish', () => {
  const due = aPayment({ nextCheckAt: now, updatedAt: now - 72 * hourMs + 1 });

  async function postponed(payment: Payment | undefined) {
    const changes: Change[] = [];
    const store: Partial<Store> = {
      ...storeOf(payment),
      commit(commit) {
        changes.push(...commit.changes);
        return okAsync(undefined);
      },
    };
    const after = value(await resultOf(postponePayment(portsOver(store), aPayment())));
    return { after, kinds: changes.map(({ kind }) => kind) };
  }

  it('is checked again after a while', async () => {
    const { after, kinds } = await postponed(due);
    expect(after).toEqual({ ...due, checks: 1, nextCheckAt: now + 5000, version: 2 });
    expect(kinds).toEqual(['updatePayment']);
  });

  it('needs a person after 72 hours, and is checked again all the same', async () => {
    const old = { ...due, updatedAt: now - 72 * hourMs };
    const { after, kinds } = await postponed(old);
    expect(after).toMatchObject({ review: 'unsettled', checks: 1, nextCheckAt: now + 5000 });
    expect(kinds).toEqual(['updatePayment', 'insertReview', 'appendEvent']);
    const waiting = { ...old, nextCheckAt: now + 1 };
    expect((await postponed(waiting)).after).toMatchObject({ review: 'unsettled', checks: 0 });
  });

  const old = { updatedAt: now - 99 * hourMs };

  it('is checked again without a review if it has ended', async () => {
    const ended = aPayment({ ...due, ...old, state: 'captured' });
    const { after, kinds } = await postponed(ended);
    expect(after).toEqual({ ...ended, checks: 1, nextCheckAt: now + 5000, version: 2 });
    expect(kinds).toEqual(['updatePayment']);
  });

  const { nextCheckAt: _nextCheckAt, ...unplanned } = due;
  it.each<[string, Payment | undefined]>([
    ['is gone', undefined],
    ['has ended and is not due', aPayment({ ...old, nextCheckAt: now + 1, state: 'captured' })],
    ['was checked by another call', aPayment({ ...due, nextCheckAt: now + 1 })],
    ['has a review', aPayment({ ...due, ...old, nextCheckAt: now + 1, review: 'unsettled' })],
    ['has no work left', { ...unplanned, ...old }],
  ])('is left as it is if it %s', async (_, payment) => {
    expect(await postponed(payment)).toEqual({ after: payment, kinds: [] });
  });
});
