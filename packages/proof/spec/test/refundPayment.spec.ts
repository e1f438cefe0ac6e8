import {
  type Chairside,
  createChairside,
  err,
  errAsync,
  formatMoney,
  hourMs,
  minuteMs,
  ok,
  okAsync,
  type RefundView,
  ResultAsync,
} from '@chairside/core';
import type { Refund, StoreUnavailable } from '@chairside/core/ports';
import { expect } from 'vitest';
import { anyProblem, refund as refundOf, refunds as refundsOf } from '../src/answer.ts';
import { givenOtherShop } from '../src/business.ts';
import { charge, givenBooking } from '../src/charges.ts';
import { cancel, deliverMessages, dyingAfter, host, withProcessor } from '../src/elsewhere.ts';
import { people } from '../src/people.ts';
import {
  fresh,
  givenAppointment,
  givenCaptured,
  givenPresented,
  ledgerOf,
  reconciled,
  stored,
  until,
} from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { workedExample } from '../src/worked-example.ts';
import {
  type AnyWorld,
  describeEverywhere,
  describeWithEveryProcessor,
  type World,
} from '../src/world.ts';

const shop = people.owner;

interface Asked {
  readonly key?: string;
  readonly amount?: string;
  readonly reason?: string;
}

/** Refunds as the shop's owner, over the transport of the spec. */
async function refund({ send }: Pick<World, 'send'>, id: string, asked: Asked = {}) {
  const { key = fresh('refund'), ...body } = asked;
  const answer = await send('refundPayment', 'owner', { id, key, body });
  return answer.status < 400 ? ok(refundOf(answer, 201)) : err(anyProblem(answer));
}

/** The same in another process. */
function refundIn(chairside: Chairside, contactlessPaymentId: string, asked: Asked = {}) {
  const { key = fresh('refund'), ...body } = asked;
  return chairside.refundPayment(shop, { contactlessPaymentId, idempotencyKey: key, body });
}

async function refunded(...asked: Parameters<typeof refund>): Promise<RefundView> {
  return (await refund(...asked))._unsafeUnwrap();
}

async function listed({ send }: Pick<World, 'send'>, id: string) {
  return refundsOf(await send('listRefunds', 'owner', { id }));
}

/** The processor's total of refunds over all payments. */
async function givenBackMinor({ processor }: AnyWorld): Promise<bigint> {
  return (await processor.entries())
    .flatMap(({ refunds = [] }) => refunds)
    .filter(({ state }) => state === 'pending' || state === 'succeeded')
    .reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
}

async function storedRefunds({ store }: AnyWorld, paymentId: string): Promise<readonly Refund[]> {
  return (await store.refunds.listByPayment(paymentId, 9))._unsafeUnwrap();
}

/** The types of events that the host receives, with their amounts. */
async function told(world: AnyWorld): Promise<readonly string[]> {
  const events = (await delivered(world)).map(({ type, data }) => {
    const amount = 'amount' in data ? data.amount : '';
    return `${type.replace('contactlessPayment.', '')} ${amount}`;
  });
  return events.filter((event) => /^(refund|dispute)/.test(event));
}

describeWithEveryProcessor('refundPayment with every processor', ({ it }) => {
  it('refunds the full rest, and returns the same response under the same key', async (world) => {
    const { payment } = await givenCaptured(world);
    const first = await refunded(world, payment.id, { key: 'k', reason: 'not happy' });
    expect(first).toMatchObject({
      id: expect.stringMatching(/^rfd_/),
      contactlessPaymentId: payment.id,
      amount: '45.00',
      currency: 'eur',
      state: 'succeeded',
      origin: 'here',
      reason: 'not happy',
    });
    const again = await refunded(world, payment.id, { key: 'k', reason: 'not happy' });
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    expect(await givenBackMinor(world)).toBe(4500n);
    expect(await told(world)).toEqual(['refunded 45.00']);
    const other = await refund(world, payment.id, { key: 'k', amount: '1.00' });
    expect(other._unsafeUnwrapErr().status).toBe(422);
  });

  it('refunds parts, and never more than was captured (D44)', async (world) => {
    const { payment } = await givenCaptured(world);
    await refunded(world, payment.id, { amount: '20.00' });
    const tooMuch = await refund(world, payment.id, { amount: '25.01' });
    expect(tooMuch._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'exceedsRefundable', refundable: '25.00' },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(await refunded(world, payment.id)).toMatchObject({ amount: '25.00' });
    const nothingLeft = await refund(world, payment.id);
    expect(nothingLeft._unsafeUnwrapErr().attributes).toMatchObject({ refundable: '0.00' });
    expect(await listed(world, payment.id)).toMatchObject({
      count: 2,
      captured: '45.00',
      refundable: '0.00',
    });
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('refunds once under concurrent requests (D44)', async (world) => {
    const { payment } = await givenCaptured(world);
    const asked = ['a', 'b', 'c', 'a', 'b'].map((key) =>
      refund(world, payment.id, { key, amount: '20.00' }),
    );
    const first = await Promise.all(asked);
    expect(first.filter((result) => result.isOk()).length).toBeGreaterThan(0);
    let made = 0;
    for (const key of ['a', 'b', 'c']) {
      made += Number((await refund(world, payment.id, { key, amount: '20.00' })).isOk());
    }
    expect(made).toBe(2);
    expect(await givenBackMinor(world)).toBe(4000n);
    expect((await listed(world, payment.id)).refundable).toBe('5.00');
  });

  it('releases an authorization by cancel, and says so', async (world) => {
    const { payment } = await givenPresented(world);
    const refused = (await refund(world, payment.id))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ type: 'conflict', attributes: { reason: 'notCaptured' } });
    expect((await cancel(world, payment.id)).isOk()).toBe(true);
  });
});

describeEverywhere('refundPayment', ({ it }) => {
  it('is read as it was made, and only under its payment', async (world) => {
    const { payment } = await givenCaptured(world);
    const { payment: other } = await givenCaptured(world);
    const { chairside } = world;
    const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k', body: {} };
    const made = (await chairside.refundPayment(host, input))._unsafeUnwrap();
    const read = { contactlessPaymentId: payment.id, refundId: made.id };
    expect((await chairside.getRefund(shop, read))._unsafeUnwrap()).toEqual(made);
    const absent = { ...read, refundId: 'rfd_none' };
    expect((await chairside.getRefund(shop, absent))._unsafeUnwrapErr().status).toBe(404);
    const elsewhere = { ...read, contactlessPaymentId: other.id };
    expect((await chairside.getRefund(shop, elsewhere))._unsafeUnwrapErr().status).toBe(404);
  });

  it.for([
    [{ amount: '0.00' }, 422],
    [{ amount: '-1.00' }, 422],
    [{ amount: '10000000000000.00' }, 422],
    [{ amount: '1' }, 400],
    [{ reason: '' }, 400],
  ])('rejects an invalid body: %j', async ([body, status], world) => {
    const { payment } = await givenCaptured(world);
    expect((await refund(world, payment.id, body))._unsafeUnwrapErr().status).toBe(status);
    expect(await givenBackMinor(world)).toBe(0n);
  });

  it.for(['lostReply', 'timeoutAfterApplying', 'failureAfterApplying'] as const)(
    'finds its effect after a fault: %s',
    async (fault, world) => {
      const { payment } = await givenCaptured(world);
      world.processor.failNext('refund', fault);
      expect(await refunded(world, payment.id)).toMatchObject({ state: 'succeeded' });
      expect(await givenBackMinor(world)).toBe(4500n);
    },
  );

  it('says unknown while it cannot tell, keeps the amount reserved, and settles it', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    const unknown = { type: 'serviceUnavailable', recovery: { outcome: 'unknown' } };
    const first = await refund(world, payment.id, { key: 'k' });
    expect(first._unsafeUnwrapErr()).toMatchObject(unknown);
    expect((await listed(world, payment.id)).refundable).toBe('0.00');
    expect((await refund(world, payment.id))._unsafeUnwrapErr().status).toBe(409);
    world.processor.landAbandoned();
    expect(await refunded(world, payment.id, { key: 'k' })).toMatchObject({ state: 'succeeded' });
    expect(world.processor.count('refund')).toMatchObject({ applied: 1 });
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('is finished by upkeep, under the same processor key', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    expect((await refund(world, payment.id, { key: 'k' })).isErr()).toBe(true);
    world.clock.advance(60_000);
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
    world.processor.landAbandoned();
    expect(await givenBackMinor(world)).toBe(4500n);
    expect(await refunded(world, payment.id, { key: 'k' })).toMatchObject({ state: 'succeeded' });
    expect(await told(world)).toEqual(['refunded 45.00']);
  });

  it('says that it replays, once it was accepted', async (world) => {
    const { payment } = await givenCaptured(world);
    const asked = { id: payment.id, key: 'k', body: {} };
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    expect((await world.send('refundPayment', 'owner', asked)).status).toBe(503);
    const first = await world.send('refundPayment', 'owner', asked);
    expect(first).toMatchObject({ status: 201, replayed: false });
    const again = await world.send('refundPayment', 'owner', asked);
    expect(again).toEqual({ ...first, replayed: true });
  });

  it('begins anew if its claim was withdrawn between two reads', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    expect((await refund(world, payment.id, { key: 'k' })).isErr()).toBe(true);
    const { clock, processor, store } = world;
    let isHidden = true;
    const get: typeof store.refunds.get = (id) => {
      const found = isHidden ? okAsync(undefined) : store.refunds.get(id);
      isHidden = false;
      return found;
    };
    const refunds = { ...store.refunds, get };
    const node = createChairside({ store: { ...store, refunds }, processor, clock });
    expect((await refundIn(node, payment.id, { key: 'k' })).isOk()).toBe(true);
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('uses another key only after the processor replied with a failure (D44)', async (world) => {
    const { payment } = await givenCaptured(world);
    const keys: string[] = [];
    const { refunds } = world.processor;
    const watching = withProcessor(world, {
      refunds: {
        ...refunds,
        refund: (request) => {
          keys.push(request.idempotencyKey.replace(request.refundId, ''));
          return refunds.refund(request);
        },
      },
    });
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    world.processor.failNext('refund', 'failure');
    for (let tries = 0; tries < 3; tries += 1) {
      const made = await refundIn(watching, payment.id, { key: 'k' });
      expect(made.isOk()).toBe(tries === 2);
    }
    expect(keys).toEqual([':refund:1', ':refund:1', ':refund:2']);
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('uses another key once the processor repeats that the account is not set up (D44)', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    world.processor.failNext('refund', 'notSetUp');
    for (let tries = 0; tries < 4; tries += 1) {
      const made = await refund(world, payment.id, { key: 'k' });
      // The second refusal comes from the key, so the first request of that key cannot arrive any more.
      expect(made.isOk()).toBe(tries === 3);
    }
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it.for([
    ['refused', 503, 'unavailable'],
    ['rateLimited', 503, 'unavailable'],
    ['notSetUp', 422, 'in cash'],
    ['rejected', 422, 'rejected this refund'],
  ] as const)(
    'frees the key and the amount of a first call without an effect: %s',
    async ([fault, status, said], world) => {
      const { payment } = await givenCaptured(world);
      world.processor.failNext('refund', fault);
      const first = (await refund(world, payment.id, { key: 'k' }))._unsafeUnwrapErr();
      const detail = expect.stringContaining(said);
      expect(first).toMatchObject({ status, detail, recovery: { outcome: 'notApplied' } });
      expect(await listed(world, payment.id)).toMatchObject({ count: 0, refundable: '45.00' });
      expect(await refunded(world, payment.id, { key: 'k' })).toMatchObject({ amount: '45.00' });
    },
  );

  it('fails for good if a later call is rejected, and ends the reservation (D44)', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    world.processor.failNext('refund', 'rejected');
    const first = await refund(world, payment.id, { key: 'k' });
    expect(first._unsafeUnwrapErr().recovery?.outcome).toBe('unknown');
    const [begun] = await storedRefunds(world, payment.id);
    for (let tries = 0; tries < 2; tries += 1) {
      const failed = (await refund(world, payment.id, { key: 'k' }))._unsafeUnwrapErr();
      const [after] = await storedRefunds(world, payment.id);
      expect(after?.version).toBeGreaterThan(begun?.version ?? 0);
      expect(failed).toMatchObject({
        attributes: { reason: 'refundFailed', refundId: after?.id, failure: after?.failure },
        recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
      });
    }
    expect(await told(world)).toEqual(['refundFailed 45.00']);
    expect(await refunded(world, payment.id)).toMatchObject({ amount: '45.00' });
  });

  it('is sent again, and fails, where the dashboard gave its amount back meanwhile', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    expect((await refund(world, payment.id, { key: 'k' })).isErr()).toBe(true);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    await deliverMessages(world);
    const again = (await refund(world, payment.id, { key: 'k' }))._unsafeUnwrapErr();
    expect(again.attributes).toMatchObject({ reason: 'refundFailed' });
    expect(await refunded(world, payment.id)).toMatchObject({ amount: '35.00' });
  });

  it.for([-hourMs, -1, 0, 1, hourMs])(
    'is sent again for less than 18 hours after its claim: %i ms from them',
    async (fromBoundMs, world) => {
      const { payment } = await givenCaptured(world);
      world.processor.failNext('refund', 'timeoutBeforeApplying');
      expect((await refund(world, payment.id, { key: 'k' })).isErr()).toBe(true);
      const { made } = world.processor.count('refund');
      world.clock.advance(18 * hourMs + fromBoundMs);
      const again = await refund(world, payment.id, { key: 'k' });
      expect(again.isOk()).toBe(fromBoundMs < 0);
      expect(world.processor.count('refund').made - made).toBe(fromBoundMs < 0 ? 1 : 0);
    },
  );

  it('only looks once the processor may have forgotten the key, and opens a review (D44)', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    expect((await refund(world, payment.id, { key: 'k' })).isErr()).toBe(true);
    world.clock.advance(25 * hourMs);
    const { made } = world.processor.count('refund');
    await reconciled(world);
    expect((await refund(world, payment.id, { key: 'k' })).isErr()).toBe(true);
    expect(world.processor.count('refund').made).toBe(made);
    expect((await listed(world, payment.id)).refundable).toBe('0.00');
    world.clock.advance(72 * hourMs);
    await reconciled(world);
    await reconciled(world);
    const open = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(open).toMatchObject([{ reason: 'refundUnsettled', contactlessPaymentId: payment.id }]);
    world.processor.landAbandoned();
    world.clock.advance(2 * hourMs);
    await reconciled(world);
    expect((await listed(world, payment.id)).items).toMatchObject([{ state: 'succeeded' }]);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('is pending for days, and then fails and ends its reservation (D44)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    const pending = await refunded(world, payment.id, { key: 'k', amount: '10.00' });
    expect(pending.state).toBe('pending');
    expect((await listed(world, payment.id)).refundable).toBe('35.00');
    await deliverMessages(world);
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    world.clock.advance(48 * hourMs);
    expect(world.processor.endRefund(reference, id, 'failed').isOk()).toBe(true);
    await reconciled(world);
    expect(await listed(world, payment.id)).toMatchObject({
      refundable: '45.00',
      items: [{ state: 'failed', failure: 'lost_or_stolen_card' }],
    });
    expect(await told(world)).toEqual(['refundPending 10.00', 'refundFailed 10.00']);
    // The response to the key stays the same, byte for byte.
    expect(await refunded(world, payment.id, { key: 'k', amount: '10.00' })).toEqual(pending);
  });

  it('fails after it succeeded, as the processor tells', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    await refunded(world, payment.id);
    await deliverMessages(world);
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    expect(world.processor.endRefund(reference, id, 'failed').isOk()).toBe(true);
    const [message] = world.processor.takeEvents()._unsafeUnwrap();
    if (message === undefined) throw new Error('The processor sent no message.');
    const outcomes = [
      await world.chairside.receiveProcessorEvent(message),
      await world.chairside.receiveProcessorEvent(message),
    ].map((received) => received._unsafeUnwrap().outcome);
    expect(outcomes).toEqual(['applied', 'duplicate']);
    expect(await listed(world, payment.id)).toMatchObject({ refundable: '45.00' });
    expect(await told(world)).toEqual(['refunded 45.00', 'refundFailed 45.00']);
  });

  it('is never called not applied under its key, also once it has failed', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const made = await refunded(world, payment.id, { key: 'k' });
    const [there] = world.processor.entries().find(({ id }) => id === reference)?.refunds ?? [];
    world.processor.endRefund(reference, there?.id ?? '', 'failed')._unsafeUnwrap();
    await deliverMessages(world);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k' };
    const { subject } = shop;
    const turnedAway = await world.chairside.refundPayment({ subject }, input);
    expect(turnedAway._unsafeUnwrapErr()).toMatchObject({
      type: 'forbidden',
      recovery: { outcome: 'unknown' },
    });
    // The key still returns what was acknowledged.
    expect(await refunded(world, payment.id, { key: 'k' })).toEqual(made);
  });

  it('counts refunds made elsewhere, found by their message or by the next refund (D44)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    await deliverMessages(world);
    expect(await listed(world, payment.id)).toMatchObject({
      refundable: '35.00',
      items: [{ origin: 'elsewhere', amount: '10.00', state: 'succeeded' }],
    });
    expect(world.processor.refund(reference, 3000n).isOk()).toBe(true);
    const tooMuch = await refund(world, payment.id, { amount: '20.00' });
    expect(tooMuch._unsafeUnwrapErr().attributes).toMatchObject({ refundable: '5.00' });
    expect(await refunded(world, payment.id)).toMatchObject({ amount: '5.00' });
    await deliverMessages(world);
    expect(await told(world)).toEqual(['refunded 10.00', 'refunded 30.00', 'refunded 5.00']);
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('finds refunds made elsewhere by upkeep, if their message was lost (D44)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.clock.advance(3 * hourMs);
    await reconciled(world);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    world.clock.advance(3 * hourMs);
    await reconciled(world);
    expect((await listed(world, payment.id)).refundable).toBe('35.00');
    expect(await told(world)).toEqual(['refunded 10.00']);
  });

  it('leaves room for what disputes withhold, and none for won ones (D45)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    expect(world.processor.dispute(reference, 500n).isOk()).toBe(true);
    await deliverMessages(world);
    expect((await listed(world, payment.id)).refundable).toBe('25.00');
    const [first, second] = world.processor.entries()[0]?.disputes ?? [];
    expect(world.processor.closeDispute(reference, first?.id ?? '', 'won').isOk()).toBe(true);
    expect(world.processor.closeDispute(reference, second?.id ?? '', 'lost').isOk()).toBe(true);
    await deliverMessages(world);
    expect((await listed(world, payment.id)).refundable).toBe('40.00');
    expect(await told(world)).toEqual([
      ...['disputed 15.00', 'disputed 5.00', 'disputeWon 15.00', 'disputeLost 5.00'],
    ]);
    const list = async (state: 'open' | 'won' | 'lost') =>
      (await world.chairside.listDisputes({ state }))._unsafeUnwrap();
    expect(await list('open')).toEqual([]);
    expect(await list('lost')).toMatchObject([
      {
        id: expect.stringMatching(/^dsp_/),
        contactlessPaymentId: payment.id,
        businessId: 'shop',
        amount: '5.00',
        currency: 'eur',
        reason: 'fraudulent',
        respondBy: expect.any(String),
      },
    ]);
    const [won, ...more] = await list('won');
    expect(more).toEqual([]);
    for (const after of ['dsp_', won?.id]) {
      const page = await world.chairside.listDisputes({ state: 'won', after });
      expect(page._unsafeUnwrap()).toEqual(after === 'dsp_' ? [won] : []);
    }
    // PostgreSQL rejects such text.
    const rejecting: typeof world.store.disputes.list = () =>
      errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
    const { clock, processor, store } = world;
    const disputes = { ...store.disputes, list: rejecting };
    const node = createChairside({ store: { ...store, disputes }, processor, clock });
    expect((await node.listDisputes({ after: '\u0000' }))._unsafeUnwrap()).toEqual([]);
    const odd = new Map<string, never>([['state', 'closed' as never]]); // cast: a host without types
    const refused = await world.chairside.listDisputes(Object.fromEntries(odd));
    expect(refused._unsafeUnwrapErr().status).toBe(400);
  });

  it('leaves nothing to refund if refunds and disputes exceed what was captured', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    await refunded(world, payment.id, { amount: '40.00' });
    expect(world.processor.dispute(reference, 4500n).isOk()).toBe(true);
    await deliverMessages(world);
    expect(await listed(world, payment.id)).toMatchObject({ refundable: '0.00' });
  });

  it('refunds no part of a payment that is disputed in another currency (D45)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    expect(world.processor.dispute(reference, 4500n).isOk()).toBe(true);
    const [dispute] = world.processor.entries()[0]?.disputes ?? [];
    // The processor states 45.00 EUR as 0.52 in a currency of which each unit is worth more.
    const { disputes } = world.processor;
    const inDollars = withProcessor(world, {
      disputes: disputes && {
        ...disputes,
        list: (handle) =>
          disputes
            .list(handle)
            .map((found) => found.map((one) => ({ ...one, amountMinor: 52n, currency: 'usd' }))),
      },
      parseEvent: (event, now) =>
        world.processor
          .parseEvent(event, now)
          .map((seen) =>
            seen.kind === 'dispute' && seen.dispute !== undefined
              ? { ...seen, amountMinor: 52n, dispute: { ...seen.dispute, currency: 'usd' } }
              : seen,
          ),
    });
    await deliverMessages(world, inDollars);
    expect((await listed(world, payment.id)).refundable).toBe('0.00');
    expect(
      (await refundIn(inDollars, payment.id, { amount: '44.00' }))._unsafeUnwrapErr(),
    ).toMatchObject({
      attributes: { reason: 'exceedsRefundable', refundable: '0.00' },
    });
    expect(await givenBackMinor(world)).toBe(0n);
    expect(await told(world)).toEqual(['disputed 0.52']);
    expect(world.processor.closeDispute(reference, dispute?.id ?? '', 'won').isOk()).toBe(true);
    await deliverMessages(world, inDollars);
    expect((await refundIn(inDollars, payment.id))._unsafeUnwrap()).toMatchObject({
      amount: '45.00',
    });
  });

  it('is rejected if the card has to be present', async (world) => {
    const { payment } = await givenCaptured(world);
    const present = withProcessor(world, {
      refunds: {
        ...world.processor.refunds,
        refund: () => errAsync({ kind: 'rejected', reason: 'cardMustBePresent' }),
      },
    });
    expect((await refundIn(present, payment.id))._unsafeUnwrapErr()).toMatchObject({
      status: 422,
      detail: expect.stringContaining('held to a terminal'),
      attributes: { reason: 'cardMustBePresent' },
    });
    world.processor.failNext('refund', 'rejected');
    expect((await refund(world, payment.id))._unsafeUnwrapErr().detail).toMatch(/rejected/);
    expect(await refunded(world, payment.id)).toMatchObject({ amount: '45.00' });
  });

  it('says running while the first call works on it', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'slowReply');
    const first = refund(world, payment.id, { key: 'k' });
    await until(() => world.processor.count('refund').made === 1);
    const second = (await refund(world, payment.id, { key: 'k' }))._unsafeUnwrapErr();
    expect(second).toMatchObject({
      attributes: { reason: 'running' },
      recovery: { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' },
    });
    // The message of the refund comes before the reply.
    await deliverMessages(world);
    world.processor.release();
    expect((await first)._unsafeUnwrap()).toMatchObject({ state: 'succeeded' });
    expect(await givenBackMinor(world)).toBe(4500n);
  });

  it('corrects a failed refund that took place after all, and opens a review', async (world) => {
    const { payment } = await givenCaptured(world);
    const { refunds } = world.processor;
    const wrong = withProcessor(world, {
      refunds: {
        ...refunds,
        refund: (request) => refunds.refund(request).map((one) => ({ ...one, state: 'failed' })),
      },
    });
    const failed = await refundIn(wrong, payment.id, { key: 'k' });
    const { attributes } = failed._unsafeUnwrapErr();
    expect(attributes).toStrictEqual({ reason: 'refundFailed', refundId: expect.any(String) });
    await deliverMessages(world);
    expect((await listed(world, payment.id)).items).toMatchObject([{ state: 'succeeded' }]);
    const reasons = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reasons).toMatchObject([{ reason: 'refundedAfterFailure' }]);
  });

  it('deletes its keys after 72 hours, and stays', async (world) => {
    const { payment } = await givenCaptured(world);
    const made = await refunded(world, payment.id, { key: 'k', amount: '5.00' });
    // Its end is known, so that nothing is asked for.
    world.processor.disableAccount('acct_shop');
    world.clock.advance(73 * hourMs);
    await reconciled(world);
    expect((await world.store.keys.get(shop.subject, 'k'))._unsafeUnwrap()).toBeUndefined();
    const kept: Refund | undefined = (await world.store.refunds.get(made.id))._unsafeUnwrap();
    expect(kept?.nextCheckAt).toBeUndefined();
    expect(kept?.state).toBe('succeeded');
    for (const member of ['parts', 'tipMinor']) expect(kept).not.toHaveProperty(member);
  });
});

/** What the processor has given back, over all payments. */
function backMinor({ processor }: World): bigint {
  return processor
    .entries()
    .flatMap(({ refunds = [] }) => refunds)
    .filter(({ state }) => state !== 'failed')
    .reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
}

function giveBack({ chairside }: World, appointmentId: string, key = fresh('excess')) {
  return chairside.refundExcess(host, { appointmentId, idempotencyKey: key });
}

async function excess({ send }: World, appointmentId: string): Promise<string | undefined> {
  return JSON.parse((await send('listCharges', 'owner', { id: appointmentId })).text).excess;
}

/** Reads a record, which is not there yet when it is read first. */
function missingOnce<T>(get: (id: string) => ResultAsync<T | undefined, StoreUnavailable>) {
  const read = new Set<string>();
  return (id: string) => {
    const isMissing = !read.has(id);
    read.add(id);
    return isMissing ? okAsync(undefined) : get(id);
  };
}

/** A deposit of 20.00 and a visit of 25.00. */
async function givenVisit(world: World) {
  const { appointmentId, method } = await givenBooking(world);
  const deposit: string = JSON.parse((await charge(world, appointmentId, method)).text).id;
  const { payment } = await givenCaptured(world, { appointmentId });
  return { appointmentId, deposit, visit: payment.id };
}

const due = (world: World, id: string, amountDue: string) =>
  givenAppointment(world, { id, amountDue, terms: { customerId: 'customer' } });

describeEverywhere('refundExcess', ({ it, makeWorld }) => {
  it('gives nothing back that a refund of another payment gave back (D49)', async (world) => {
    const { appointmentId, visit } = await givenVisit(world);
    const body = { amount: '15.00' };
    await world.send('refundPayment', 'owner', { id: visit, key: fresh('key'), body });
    await due(world, appointmentId, '30.00');
    expect(await excess(world, appointmentId)).toBe('0.00');
    expect((await giveBack(world, appointmentId))._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      detail: 'The appointment was paid no more than is due.',
      attributes: { reason: 'noExcess' },
    });
    expect(backMinor(world)).toBe(1500n);
  });

  it('returns the same refunds under its key after the visit is gone (D11, D22)', async (world) => {
    const { appointmentId } = await givenVisit(world);
    await due(world, appointmentId, '30.00');
    const key = fresh('excess');
    const first = (await giveBack(world, appointmentId, key))._unsafeUnwrap();
    const { store, processor, clock } = world;
    const appointments = { ...store.appointments, get: () => okAsync(undefined) };
    // A claim may be withdrawn between two reads, and its key be used again.
    const refunds = { ...store.refunds, get: missingOnce(store.refunds.get) };
    const payments = { ...store.payments, get: missingOnce(store.payments.get) };
    const without = { ...store, appointments, refunds, payments };
    const chairside = createChairside({ store: without, processor, clock, rateLimits: 'off' });
    const gone = { ...world, chairside };
    expect((await giveBack(gone, appointmentId, key))._unsafeUnwrap()).toEqual(first);
    const other = (await giveBack(gone, appointmentId))._unsafeUnwrapErr();
    expect(other).toMatchObject({ type: 'notFound', recovery: { outcome: 'notApplied' } });
    const stranger = { subject: host.subject, businessIds: ['elsewhere'] };
    const input = { appointmentId, idempotencyKey: key };
    const refused = (await chairside.refundExcess(stranger, input))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ type: 'forbidden', recovery: { outcome: 'unknown' } });
  });

  it('gives it back once, by two desks with two keys', async (world) => {
    const { appointmentId, visit } = await givenVisit(world);
    await due(world, appointmentId, '30.00');
    const refund = () => {
      const body = { amount: '15.00' };
      return world.send('refundPayment', 'owner', { id: visit, key: fresh('key'), body });
    };
    const answers = await Promise.all([1, 2, 3].map(() => giveBack(world, appointmentId)));
    expect(answers.filter((answer) => answer.isOk())).toHaveLength(1);
    expect(backMinor(world)).toBe(1500n);
    expect(await excess(world, appointmentId)).toBe('0.00');
    // A refund of another payment, at the same moment, changes the excess.
    await due(world, appointmentId, '15.00');
    const [given, refunded] = await Promise.all([giveBack(world, appointmentId), refund()]);
    expect(given.isOk() || refunded.status === 201).toBe(true);
    expect([3000n, 4500n]).toContain(backMinor(world));
    expect((await giveBack(world, appointmentId)).isErr()).toBe(true);
  });

  it('gives back nothing that another shop took (D38)', async (world) => {
    const { appointmentId } = await givenVisit(world);
    const business = await givenOtherShop(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '15.00', business });
    const owner = { subject: 'other', businessIds: [business] };
    const input = { appointmentId, idempotencyKey: fresh('excess') };
    const refused = (await world.chairside.refundExcess(owner, input))._unsafeUnwrapErr();
    expect(refused.attributes).toEqual({ reason: 'noExcess' });
    expect(refused.detail).toContain('another business');
    expect(backMinor(world)).toBe(0n);
  });

  it('takes it from the deposit first, and then from the newest payment', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    await givenCaptured(world, { appointmentId, amount: '5.00' });
    world.clock.advance(minuteMs);
    const { payment: visit } = await givenCaptured(world, { appointmentId, amount: '20.00' });
    const deposit = JSON.parse((await charge(world, appointmentId, method)).text).id;
    await due(world, appointmentId, '15.00');
    const key = fresh('excess');
    const back = (await giveBack(world, appointmentId, key))._unsafeUnwrap();
    expect(back).toMatchObject({
      appointmentId,
      amount: '30.00',
      currency: 'eur',
      refunds: [
        { contactlessPaymentId: deposit, amount: '20.00', state: 'succeeded' },
        { contactlessPaymentId: visit.id, amount: '10.00', state: 'succeeded' },
      ],
    });
    expect((await giveBack(world, appointmentId, key))._unsafeUnwrap()).toEqual(back);
    const other = { appointmentId, idempotencyKey: key, reason: 'not happy' };
    expect((await world.chairside.refundExcess(host, other))._unsafeUnwrapErr().status).toBe(422);
    expect(backMinor(world)).toBe(3000n);
    // A refund changes no state, and not what is captured.
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 4500n });
  });

  it('counts what a dispute withholds, and gives none of a tip back', async (world) => {
    const { appointmentId, deposit } = await givenVisit(world);
    await due(world, appointmentId, '35.00');
    const { reference = '' } = await stored(world, deposit);
    expect(world.processor.dispute(reference, 600n).isOk()).toBe(true);
    // The processor's list shows the dispute before its message comes.
    const back = (await giveBack(world, appointmentId))._unsafeUnwrap();
    expect(back.amount).toBe('4.00');
    expect(await excess(world, appointmentId)).toBe('0.00');
  });

  it('gives nothing back while the amount due is in another currency', async (world) => {
    const { appointmentId } = await givenVisit(world);
    await due(world, appointmentId, '15.00');
    const processorAccount = { id: 'acct_shop', currency: 'usd' };
    const shop = { id: 'shop', name: 'Shop', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    const listed = await world.send('listCharges', 'owner', { id: appointmentId });
    expect(JSON.parse(listed.text)).toMatchObject({ currencyChanged: true });
    expect(JSON.parse(listed.text)).not.toHaveProperty('excess');
    expect((await giveBack(world, appointmentId))._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'currencyChanged' },
    });
    expect(backMinor(world)).toBe(0n);
  });

  it.for(['rejected', 'timeoutBeforeApplying'] as const)(
    'gives the same answer under its key if the first part is rejected, and the second %s',
    async (second, world) => {
      const { appointmentId, deposit } = await givenVisit(world);
      await due(world, appointmentId, '15.00');
      const { store, processor, clock } = world;
      let calls = 0;
      const failing = withProcessor(world, {
        refunds: {
          ...processor.refunds,
          refund(request) {
            calls += 1;
            if (calls === 2 && second !== 'rejected') {
              return errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false });
            }
            const isRefused = calls <= 2;
            return isRefused
              ? errAsync({ kind: 'rejected', reason: 'cardMustBePresent' })
              : processor.refunds.refund(request);
          },
        },
      });
      const key = fresh('excess');
      const first = await giveBack({ ...world, chairside: failing }, appointmentId, key);
      expect(first._unsafeUnwrapErr()).toMatchObject(
        second === 'rejected'
          ? { attributes: { reason: 'refundFailed' } }
          : { status: 503, recovery: { outcome: 'unknown' } },
      );
      // Of several parts, one may still go back (D22).
      const stranger = { subject: host.subject, businessIds: ['elsewhere'] };
      const input = { appointmentId, idempotencyKey: key };
      const refused = (await world.chairside.refundExcess(stranger, input))._unsafeUnwrapErr();
      const outcome = second === 'rejected' ? 'notApplied' : 'unknown';
      expect(refused).toMatchObject({ type: 'forbidden', recovery: { outcome } });
      clock.advance(minuteMs);
      const again = await giveBack(world, appointmentId, key);
      const last = await giveBack(world, appointmentId, key);
      if (second === 'rejected') {
        expect(again._unsafeUnwrapErr().attributes).toEqual(first._unsafeUnwrapErr().attributes);
      } else expect(again._unsafeUnwrap().amount).toBe('10.00');
      expect(last.isOk()).toBe(again.isOk());
      expect(backMinor(world)).toBe(second === 'rejected' ? 0n : 1000n);
      const parts = (await store.refunds.listByPayment(deposit, 9))._unsafeUnwrap();
      expect(parts).toMatchObject([{ state: 'failed', failure: 'cardMustBePresent' }]);
    },
  );

  it('keeps its key until its last part has ended (D44)', async (world) => {
    const { appointmentId, deposit } = await givenVisit(world);
    await due(world, appointmentId, '15.00');
    const { processor, clock } = world;
    const pending = withProcessor(world, {
      refunds: {
        ...processor.refunds,
        refund: (request) =>
          processor.refunds
            .refund(request)
            .map((made) => (request.amountMinor === 2000n ? made : { ...made, state: 'pending' })),
        list: (handle) =>
          processor.refunds
            .list(handle)
            .map((all) =>
              all.map((one) => (one.amountMinor === 2000n ? one : { ...one, state: 'pending' })),
            ),
      },
    });
    const key = fresh('excess');
    const slow = { ...world, chairside: pending };
    const first = (await giveBack(slow, appointmentId, key))._unsafeUnwrap();
    for (let days = 0; days < 5; days += 1) {
      clock.advance(24 * hourMs);
      (await pending.reconcile())._unsafeUnwrap();
    }
    expect((await giveBack(slow, appointmentId, key))._unsafeUnwrap()).toEqual(first);
    for (let days = 0; days < 8; days += 1) {
      clock.advance(24 * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    const over = (await giveBack(world, appointmentId, key))._unsafeUnwrapErr();
    expect(over.attributes).toMatchObject({ reason: 'noExcess' });
    expect(
      (await world.store.refunds.listByPayment(deposit, 9))._unsafeUnwrap()[0],
    ).not.toHaveProperty('nextCheckAt');
  });

  it.for([
    [{ amountDue: '45.00' }, { attributes: { reason: 'noExcess' } }],
    [{ amountDue: '30.00', business: 'other' }, { type: 'forbidden' }],
  ])(
    'reads the visit again after the lists were read (D13): %j',
    async ([changed, refusal], world) => {
      const { appointmentId: id } = await givenVisit(world);
      await givenOtherShop(world);
      await due(world, id, '30.00');
      const { processor } = world;
      const change = async () => givenAppointment(world, { id, ...changed });
      const chairside = withProcessor(world, {
        disputes: {
          ...processor.disputes,
          list: (handle) =>
            ResultAsync.fromSafePromise(change()).andThen(() => processor.disputes.list(handle)),
        },
      });
      const input = { appointmentId: id, idempotencyKey: fresh('excess') };
      const refused = await chairside.refundExcess(shop, input);
      expect(refused._unsafeUnwrapErr()).toMatchObject(refusal);
      expect(backMinor(world)).toBe(0n);
    },
  );

  it('leaves out a payment that takes no further refund', async (world) => {
    const { appointmentId, deposit } = await givenVisit(world);
    const [one] = [await refunded(world, deposit, { amount: '1.00' })];
    const made = (await world.store.refunds.get(one.id))._unsafeUnwrap();
    if (made === undefined) throw new Error('The refund has no record.');
    const copies = Array.from({ length: 99 }, () => ({ ...made, id: fresh('rfd') }));
    const changes = copies.map((refund) => ({
      kind: 'insertRefund' as const,
      refund: { ...refund, reference: refund.id, state: 'failed' as const },
    }));
    const at = world.clock.now();
    (await world.store.commit({ id: fresh('commit'), at, changes }))._unsafeUnwrap();
    await due(world, appointmentId, '30.00');
    const { refunds } = (await giveBack(world, appointmentId))._unsafeUnwrap();
    expect(refunds.map(({ contactlessPaymentId }) => contactlessPaymentId)).not.toContain(deposit);
  });

  it.for([0, 1, 2, 3, 4, 5, 6])(
    'is once, if its process dies after %s commits',
    async (commits) => {
      for (const fault of ['timeoutAfterApplying', 'timeoutBeforeApplying', 'slow'] as const) {
        const world = await makeWorld();
        const { processor, clock } = world;
        const { appointmentId } = await givenVisit(world);
        await due(world, appointmentId, '15.00');
        if (fault !== 'slow') processor.failNext('refund', fault);
        const store = dyingAfter(world.store, commits);
        const node = createChairside({ store, processor, clock, rateLimits: 'off' });
        const input = { appointmentId, idempotencyKey: 'k' };
        const first = await node.refundExcess(host, input);
        if (commits === 0) expect(first.isErr()).toBe(true);
        // The work of a process that has just died may still go on.
        if (commits === 2) {
          const early = (await world.chairside.refundExcess(host, input))._unsafeUnwrapErr();
          expect(early.recovery).toMatchObject({ outcome: 'unknown' });
        }
        clock.advance(minuteMs);
        const second = await world.chairside.refundExcess(host, input);
        for (let times = 1; times <= 8; times += 1) {
          clock.advance(times * minuteMs);
          (await world.chairside.reconcile())._unsafeUnwrap();
        }
        const more = { appointmentId, idempotencyKey: 'k2' };
        expect((await world.chairside.refundExcess(host, more)).isErr() || first.isErr()).toBe(
          true,
        );
        expect(backMinor(world), `${fault}`).toBe(3000n);
        if (first.isOk()) expect(first.value.amount).toBe('30.00');
        if (second.isOk()) expect(second.value.amount).toBe('30.00');
      }
    },
  );
});

const minor = (money: string) => BigInt(money.replace('.', ''));
const sum = (amounts: readonly string[]) =>
  formatMoney(amounts.map(minor).reduce((total, amount) => total + amount, 0n));

/** The service's own records of a payment. */
async function ourBooks(world: World, contactlessPaymentId: string): Promise<readonly string[]> {
  const { chairside, store } = world;
  const listed = await chairside.listRefunds(host, { contactlessPaymentId });
  const { captured, refundable, items } = listed._unsafeUnwrap();
  const disputes = (await store.disputes.listByPayment(contactlessPaymentId, 9))._unsafeUnwrap();
  const lost = disputes.filter(({ state }) => state === 'lost');
  const { applicationFeeMinor = 0n } = await stored(world, contactlessPaymentId);
  return [
    captured,
    formatMoney(applicationFeeMinor),
    sum(items.map(({ amount }) => amount)),
    sum(lost.map(({ amountMinor }) => formatMoney(amountMinor))),
    refundable,
  ];
}

/** The processor's books of a payment. */
function theirBooks({ processor }: World, paymentId: string): readonly string[] {
  const entry = processor.entries().find((one) => one.paymentId === paymentId);
  const { amountCaptured = '', applicationFee = '0.00', refunds = [], disputes = [] } = entry ?? {};
  const refunded = sum(refunds.map(({ amount }) => amount));
  const lost = sum(disputes.filter(({ state }) => state === 'lost').map(({ amount }) => amount));
  const left = formatMoney(minor(amountCaptured) - minor(refunded) - minor(lost));
  return [amountCaptured, applicationFee, refunded, lost, left];
}

describeEverywhere('the worked example of the guide to refunds', ({ it }) => {
  it('ends in books that agree to the cent, ours and the processor’s (D46)', async (world) => {
    const { chairside, processor } = world;
    const put = await chairside.records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
      applicationFee: { fixedMinor: 30n, currency: 'eur', basisPoints: 290 },
      refundPolicy: { returnsFee: false, reversesTransfer: true },
    });
    expect(put.isOk()).toBe(true);
    const payments: { readonly id: string; readonly reference: string }[] = [];
    for (const amountDue of ['45.00', '30.00', '60.00']) {
      const appointmentId = await givenAppointment(world, { amountDue });
      const { payment, reference } = await givenCaptured(world, { appointmentId });
      payments.push({ id: payment.id, reference });
    }
    const [first, second, third] = payments;
    if (!first || !second || !third) throw new Error('there are three payments');

    const refunded = await chairside.refundPayment(host, {
      contactlessPaymentId: first.id,
      idempotencyKey: 'worked-example',
      body: { amount: '10.00' },
    });
    expect(refunded.isOk()).toBe(true);
    expect(processor.refund(second.reference, 1250n).isOk()).toBe(true);
    expect(processor.dispute(third.reference, 6000n).isOk()).toBe(true);
    await deliverMessages(world);
    const dispute = processor.entries().find(({ id }) => id === third.reference)?.disputes?.[0];
    const closed = processor.closeDispute(third.reference, dispute?.id ?? '', 'lost');
    expect(closed.isOk()).toBe(true);
    await deliverMessages(world);

    for (const [index, { id }] of payments.entries()) {
      expect(await ourBooks(world, id)).toEqual(workedExample[index]);
      expect(theirBooks(world, id)).toEqual(workedExample[index]);
    }
    const receipt = await chairside.getReceipt(host, { contactlessPaymentId: first.id });
    expect(receipt._unsafeUnwrap()).toMatchObject({
      amount: '45.00',
      refunds: [{ amount: '10.00', state: 'succeeded' }],
    });
  });
});
