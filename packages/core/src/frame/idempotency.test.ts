import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { aPayment, aRefund, keyed, now, problem, value } from '../../test/support.ts';
import type { Payment, Work } from '../payment/payment.ts';
import type { Commit, Store } from '../ports/store.ts';
import { fault, toProblem } from '../problems/problem.ts';
import type { Refund } from '../refund/refund.ts';
import type { MethodSetup } from '../setup/setup.ts';
import { errAsync, okAsync } from '../values/result.ts';
import { judgeKey, mayBeApplied, storeProblem } from './idempotency.ts';
import type { KeyRecord } from './record.ts';

const work: Work = { kind: 'capture', fence: 7, attempt: 2, leaseUntil: now };
const { ports } = testPorts();

describe('a problem for storing under a key', () => {
  const use = {
    subject: 'user-1',
    key: 'key-1',
    operation: 'createContactlessPayment',
    fingerprint: 'f',
  } as const;
  const final = toProblem(fault('unprocessableEntity', 'No.'), { newId: () => 'prb_1', at: now });

  it('is the result of the call, once it is stored', async () => {
    const { ports } = testPorts();
    const stored: Commit[] = [];
    const commit: Store['commit'] = (given) => {
      stored.push(given);
      return okAsync();
    };
    const store: Store = { ...ports.store, commit };
    expect(problem(await storeProblem({ ...ports, store }, use, final))).toEqual(final);
    expect(stored).toMatchObject([
      { changes: [{ kind: 'insertKey', record: { problem: final } }] },
    ]);
  });

  it('is the answer of the key for operations that return its type, as a replay', () => {
    const known = { ...use, resourceId: 'cpm_1', problem: final };
    const call = { auth: undefined, facts: {} };
    expect(value(judgeKey(call, use, known, ['notFound']))).toEqual({ resourceId: 'cpm_1' });
    expect(call.facts).toEqual({});
    const types = ['notFound', 'unprocessableEntity'] as const;
    expect(problem(judgeKey(call, use, known, types))).toBe(final);
    expect(call.facts).toEqual({ replayed: true });
  });

  it('is not the result if it cannot be stored', async () => {
    const { ports } = testPorts();
    const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const store: Store = { ...ports.store, commit: () => errAsync(unavailable) };
    expect(problem(await storeProblem({ ...ports, store }, use, final))).toEqual(unavailable);
  });
});

describe('mayBeApplied, for a key:', () => {
  const record: KeyRecord = {
    subject: 'user-1',
    key: 'key-1',
    operation: 'captureContactlessPayment',
    fingerprint: 'f',
    resourceId: 'cpm_1',
  };
  const stored = toProblem(fault('unprocessableEntity', 'No.'), { newId: () => 'prb_1', at: now });
  const { clientSecret: _, ...unopened } = aPayment();
  const setup: MethodSetup = {
    id: 'cpm_1',
    customerId: 'customer-1',
    savePaymentMethod: true,
    version: 1,
    createdAt: now,
    expiresAt: now,
    nextCheckAt: now,
  };

  const refund = aRefund({ state: 'failed' });

  const judged = (reads: Partial<Store>) =>
    mayBeApplied({ ...ports, store: { ...ports.store, ...reads } }, keyed, 'user-1', 'key-1');
  const lost = errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
  function claim(
    key: Partial<KeyRecord> | undefined,
    payment?: Payment | 'lost',
    found?: MethodSetup | 'lost',
    made?: Refund | 'lost',
  ): Promise<boolean> {
    const reads: Pick<Store, 'keys' | 'payments' | 'setups' | 'refunds'> = {
      keys: { get: () => okAsync(key && { ...record, ...key }) },
      payments: {
        get: () => (payment === 'lost' ? lost : okAsync(payment)),
        listByAppointment: () => lost,
        listDue: () => lost,
        listOpen: () => lost,
        listCaptured: () => lost,
        listAll: () => lost,
      },
      setups: {
        get: () => (found === 'lost' ? lost : okAsync(found)),
        listDue: () => lost,
        listByCustomer: () => lost,
      },
      refunds: {
        get: () => (made === 'lost' ? lost : okAsync(made)),
        listByPayment: () => lost,
        listDue: () => lost,
      },
    };
    return judged(reads);
  }
  const refunded = (over?: Partial<Refund> | 'lost') =>
    claim(
      { operation: 'refundPayment' },
      undefined,
      undefined,
      typeof over === 'object' ? { ...refund, ...over } : over,
    );

  const open: Partial<KeyRecord> = { operation: 'createContactlessPayment' };
  const prepare: Partial<KeyRecord> = { operation: 'preparePaymentMethod' };
  const begun: MethodSetup = { ...setup, work: { ...work, kind: 'open' } };
  const opened: MethodSetup = { ...setup, clientSecret: 'secret_1' };

  it.each([
    ['a key nobody used', false, () => claim(undefined)],
    ['one whose answer is a stored problem', false, () => claim({ problem: stored }, aPayment())],
    [
      'one whose stored problem turned out untrue',
      true,
      () => claim({ problem: stored }, aPayment({ state: 'captured' })),
    ],
    ['a create of which nothing is left', false, () => claim(open)],
    ['a create that is not opened yet', true, () => claim(open, unopened)],
    ['a create that was closed', false, () => claim(open, { ...unopened, state: 'canceled' })],
    ['a create that was opened', true, () => claim(open, aPayment())],
    [
      'a create that was opened and canceled',
      true,
      () => claim(open, aPayment({ state: 'canceled' })),
    ],
    ['a create whose payment cannot be read', true, () => claim(open, 'lost')],
    ['a capture that is not done', true, () => claim({}, aPayment())],
    ['a capture that is done', true, () => claim({}, aPayment({ state: 'captured' }))],
    ['a capture of a canceled payment', false, () => claim({}, aPayment({ state: 'canceled' }))],
    [
      'an operation of another version',
      true,
      () => claim({ operation: 'sellVoucher' }, aPayment()),
    ],
    ['a setup of which nothing is left', false, () => claim(prepare)],
    ['a setup that is not opened yet', true, () => claim(prepare, undefined, begun)],
    ['a setup that was closed', false, () => claim(prepare, undefined, setup)],
    ['a setup that was opened', true, () => claim(prepare, undefined, opened)],
    ['a setup that cannot be read', true, () => claim(prepare, undefined, 'lost')],
    ['a refund of which nothing is left', false, () => refunded()],
    ['a refund that is pending', true, () => refunded({ state: 'pending' })],
    ['a refund that was never accepted', false, () => refunded({})],
    ['a refund that failed after it was accepted', true, () => refunded({ acceptedAs: 'pending' })],
    ['a refund that cannot be read', true, () => refunded('lost')],
  ])('%s: %s', async (_name, known, read) => {
    expect(await read()).toBe(known);
  });

  it('that repeats an earlier request: true', async () => {
    const { resourceId: _none, ...repeat } = record;
    const keys = { get: () => okAsync(repeat) };
    expect(await judged({ keys })).toBe(true);
  });

  it('whose request alone was at fault: false', async () => {
    const { resourceId: _none, ...refused } = { ...record, problem: stored };
    const keys = { get: () => okAsync(refused) };
    expect(await judged({ keys })).toBe(false);
  });
});
