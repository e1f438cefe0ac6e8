import {
  type Change,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  type Payment,
  type Processor,
  type Store,
} from '@chairside/core';
import { type CardName, createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { givenAppointment } from '../src/shop.ts';

const ada = { subject: 'ada', barberId: 'ada', entitlements: ['contactlessPayments'] as const };
const host = { subject: 'host', systemAdministrator: true };
const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;

type ProcessorPart = (fake: FakeProcessor) => Partial<Processor>;
type StorePart = (real: Store) => Partial<Store>;

/** A shop with a switch that replaces parts of its processor and store. */
async function makeShop({
  processor: otherProcessor = () => ({}),
  store: otherStore = () => ({}),
  lateReferences = false,
}: {
  processor?: ProcessorPart;
  store?: StorePart;
  lateReferences?: boolean;
} = {}) {
  const clock = createManualClock();
  const fake = createFakeProcessor({ clock, lateReferences });
  const real = createMapStore();
  const ports = { clock, rateLimits: 'off' } as const;
  const chairside = createChairside({ store: real, processor: fake, ...ports });
  const odd = createChairside({
    store: { ...real, ...otherStore(real) },
    processor: { ...fake, ...otherProcessor(fake) },
    ...ports,
  });
  const account = { id: 'acct', currency: 'eur' };
  const puts = [
    await chairside.records.putBusiness({ id: 'shop', name: 'Shop', processorAccount: account }),
    await chairside.records.putBarber({ id: 'ada', businessId: 'shop' }),
  ];
  expect(puts.every((put) => put.isOk())).toBe(true);
  const appointmentId = await givenAppointment({ chairside });

  const create = async (idempotencyKey = 'create') =>
    (
      await chairside.createContactlessPayment(ada, { appointmentId, idempotencyKey })
    )._unsafeUnwrap();
  const present = (clientSecret: string, card: CardName = 'visa_credit') =>
    fake.presentCard(clientSecret, card)._unsafeUnwrap().externalPaymentReference.id;
  const capture = (of: typeof chairside, contactlessPaymentId: string, id: string, key = 'key') =>
    of.captureContactlessPayment(ada, {
      contactlessPaymentId,
      idempotencyKey: key,
      body: { externalPaymentReference: { id, paymentProcessor: 'processor_a' } },
    });
  const stored = async (id: string): Promise<Payment> => {
    const payment = (await real.payments.get(id))._unsafeUnwrap();
    if (payment === undefined) throw new Error('it is not stored');
    return payment;
  };
  const change = async (...changes: Change[]) =>
    expect((await real.commit({ id: `${changes.length}`, at: 0, changes })).isOk()).toBe(true);
  const atProcessor = (paymentId: string, reference: string) => ({
    account: 'acct',
    paymentId,
    installation: 'chairside',
    begunAt: clock.now(),
    reference,
  });
  return {
    clock,
    fake,
    real,
    chairside,
    odd,
    appointmentId,
    create,
    present,
    capture,
    stored,
    change,
    atProcessor,
  };
}

const sees =
  (change: (seen: object) => object | undefined): ProcessorPart =>
  (fake) => ({
    readPayment: (payment, claimed) =>
      fake.readPayment(payment, claimed).map((seen) => {
        const changed = seen === undefined ? undefined : change(seen);
        return changed === undefined
          ? undefined
          : ({ ...seen, ...changed, clientSecret: '' } as never); // cast: a ledger entry with some members changed
      }),
  });

describe('if the processor behaves oddly', () => {
  it('a payment that it does not show is neither captured nor moved, and checked again', async () => {
    const shop = await makeShop({ processor: sees(() => undefined) });
    const { id, clientSecret } = await shop.create();
    const reference = shop.present(clientSecret);
    const refused = (await shop.capture(shop.odd, id, reference))._unsafeUnwrapErr();
    expect(refused.attributes).toEqual({ reason: 'notProcessed' });
    const [message] = shop.fake.takeEvents()._unsafeUnwrap();
    if (message === undefined) throw new Error('there is no message');
    const received = await shop.odd.receiveProcessorEvent(message);
    expect(received._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    await shop.change({
      kind: 'updatePayment',
      payment: { ...(await shop.stored(id)), version: 9, nextCheckAt: shop.clock.now() },
      expectedVersion: (await shop.stored(id)).version,
    });
    expect((await shop.odd.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    expect((await shop.stored(id)).state).toBe('created');
  });

  for (const differs of [{ amountMinor: 1n }, { currency: 'usd' }, { account: 'other' }]) {
    it(`another ${Object.keys(differs)[0]} is a conflict`, async () => {
      const shop = await makeShop({ processor: sees(() => differs) });
      const { id, clientSecret } = await shop.create();
      const refused = (
        await shop.capture(shop.odd, id, shop.present(clientSecret))
      )._unsafeUnwrapErr();
      expect(refused.attributes?.['reason']).toBe('differsAtProcessor');
      expect(refused.status).toBe(409);
      expect(shop.fake.count('capturePayment').made).toBe(0);
    });
  }

  it('an adapter that throws leaves the outcome unknown', async () => {
    const shop = await makeShop({
      processor: () => ({
        capturePayment: () => {
          throw new Error('a defect');
        },
      }),
    });
    const { id, clientSecret } = await shop.create();
    const reference = shop.present(clientSecret);
    const failed = (await shop.capture(shop.odd, id, reference))._unsafeUnwrapErr();
    expect(failed).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
    expect((await shop.capture(shop.chairside, id, reference)).isOk()).toBe(true);
  });

  it('a payment that it does not know counts as canceled', async () => {
    const shop = await makeShop({ processor: () => ({ cancelPayment: () => okAsync(undefined) }) });
    const { id } = await shop.create();
    const canceled = await shop.odd.cancelContactlessPayment(host, { contactlessPaymentId: id });
    expect(canceled._unsafeUnwrap().state).toBe('canceled');
  });

  for (const [end, expected] of [
    ['canceled', 'contactlessPaymentCanceled'],
    ['failed', 'contactlessPaymentDeclined'],
  ] as const) {
    it(`a capture that ends ${end} returns that`, async () => {
      const shop = await makeShop({
        processor: (fake) => ({
          capturePayment: (request) =>
            fake
              .readPayment(request)
              .andThen((seen) =>
                seen === undefined
                  ? errAsync({ kind: 'rejected', reason: 'none' } as const)
                  : okAsync({ ...seen, status: end }),
              ),
        }),
      });
      const { id, clientSecret } = await shop.create();
      const ended = await shop.capture(shop.odd, id, shop.present(clientSecret));
      expect(ended._unsafeUnwrapErr().type).toBe(expected);
    });
  }

  it('a capture that it rejects and then does not show is unknown', async () => {
    let reads = 0;
    const shop = await makeShop({
      processor: (fake) => ({
        capturePayment: () => errAsync({ kind: 'rejected', reason: 'busy' } as const),
        readPayment: (payment, claimed) => {
          reads += 1;
          return reads % 2 === 1 ? fake.readPayment(payment, claimed) : okAsync(undefined);
        },
      }),
    });
    const { id, clientSecret } = await shop.create();
    const reference = shop.present(clientSecret);
    const failed = (await shop.capture(shop.odd, id, reference))._unsafeUnwrapErr();
    expect(failed.type).toBe('serviceUnavailable');
  });

  it('a payment that was canceled there is canceled by the next check', async () => {
    const shop = await makeShop();
    const { id, clientSecret } = await shop.create();
    const reference = shop.present(clientSecret);
    for (const message of shop.fake.takeEvents()._unsafeUnwrap()) {
      expect((await shop.chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }
    const idempotencyKey = 'elsewhere';
    const canceled = await shop.fake.cancelPayment({
      ...shop.atProcessor(id, reference),
      idempotencyKey,
    });
    expect(canceled.isOk()).toBe(true);
    shop.clock.advance(hourMs);
    expect((await shop.chairside.reconcile()).isOk()).toBe(true);
    expect((await shop.stored(id)).state).toBe('canceled');
  });

  it('a capture without a card at the processor has a receipt without one', async () => {
    const shop = await makeShop({
      processor: (fake) => ({
        ...sees(() => ({ card: undefined }))(fake),
        capturePayment: (request) =>
          fake.capturePayment(request).map(({ card: _card, ...entry }) => entry),
      }),
    });
    const { id, clientSecret } = await shop.create();
    const captured = await shop.capture(shop.odd, id, shop.present(clientSecret));
    expect(captured._unsafeUnwrap().card).toBeUndefined();
    const receipt = (await shop.odd.getReceipt(host, { contactlessPaymentId: id }))._unsafeUnwrap();
    expect(receipt.amount).toBe('45.00');
    expect(receipt).not.toHaveProperty('card');
  });

  it('a receipt without the processor’s entry shows the record', async () => {
    const shop = await makeShop({ processor: sees(() => undefined) });
    const { id, clientSecret } = await shop.create();
    const captured = await shop.capture(shop.chairside, id, shop.present(clientSecret));
    expect(captured.isOk()).toBe(true);
    const receipt = await shop.odd.getReceipt(host, { contactlessPaymentId: id });
    expect(receipt._unsafeUnwrap().amount).toBe('45.00');
  });

  it('a capture of another amount needs a person, and the timeline says so', async () => {
    const shop = await makeShop();
    const { id, clientSecret } = await shop.create();
    const captured = await shop.fake.capturePayment({
      ...shop.atProcessor(id, shop.present(clientSecret)),
      amountMinor: 3000n,
      currency: 'eur',
      idempotencyKey: 'elsewhere',
    });
    expect(captured.isOk()).toBe(true);
    shop.clock.advance(15 * minuteMs);
    const { needReview } = (await shop.chairside.reconcile())._unsafeUnwrap();
    expect(needReview).toEqual([id]);
    const timeline = await shop.chairside.getPaymentTimeline(host, { contactlessPaymentId: id });
    expect(timeline._unsafeUnwrap().review).toBe('capturedAnotherAmount');

    // The customer and the host see the captured amount.
    const receipt = await shop.chairside.getReceipt(host, { contactlessPaymentId: id });
    expect(receipt._unsafeUnwrap().amount).toBe('30.00');
    const told: unknown[] = [];
    const delivered = await shop.chairside.events.deliver(async ({ type, data }) => {
      told.push([type.split('.')[1], 'amount' in data && data.amount]);
    });
    expect(delivered.isOk()).toBe(true);
    expect(told.at(-1)).toEqual(['captured', '30.00']);
    const ledger = (await shop.real.ledgers.get(shop.appointmentId))._unsafeUnwrap();
    expect(ledger.capturedMinor).toBe(3000n);
  });

  it('a refund is reported for a payment whose reference is not known here yet', async () => {
    const shop = await makeShop({ lateReferences: true });
    const { id: paymentId } = await shop.create();
    const message = { id: 'evt_1', type: 'payment.refunded', amount: '1.00', reference: 'fpi_1' };
    const about = { paymentId, installation: 'chairside', account: 'acct', subject: 'fre_1' };
    const signed = shop.fake.signEvent(JSON.stringify({ ...message, ...about }));
    const received = await shop.chairside.receiveProcessorEvent(signed);
    expect(received._unsafeUnwrap().outcome).toBe('applied');
  });

  it('an orphan without a reference is swept too', async () => {
    const shop = await makeShop({ lateReferences: true });
    await shop.create();
    const lost = await shop.fake.openPayment({
      account: 'acct',
      paymentId: 'cpm_lost',
      installation: 'chairside',
      begunAt: shop.clock.now(),
      amountMinor: 100n,
      currency: 'eur',
      idempotencyKey: 'lost',
    });
    expect(lost.isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    shop.fake.failNext('cancelPayment', 'rejected', 2);
    const { needReview } = (await shop.chairside.reconcile())._unsafeUnwrap();
    expect(needReview).toEqual(['cpm_lost']);
  });

  it('an opening without a reference does not release the card of another opening', async () => {
    const shop = await makeShop({ lateReferences: true });
    const { id: paymentId, clientSecret } = await shop.create();
    const second = await shop.fake.openPayment({
      account: 'acct',
      paymentId,
      installation: 'chairside',
      begunAt: shop.clock.now(),
      amountMinor: 4500n,
      currency: 'eur',
      idempotencyKey: 'second',
    });
    expect(second.isOk()).toBe(true);
    const reference = shop.present(clientSecret);
    for (const event of shop.fake.takeEvents()._unsafeUnwrap()) {
      expect((await shop.chairside.receiveProcessorEvent(event)).isOk()).toBe(true);
    }
    shop.clock.advance(2 * hourMs);
    (await shop.chairside.reconcile())._unsafeUnwrap();
    expect(shop.fake.ledgerEntry(reference)?.status).toBe('authorized');
    const captured = await shop.capture(shop.chairside, paymentId, reference);
    expect(captured._unsafeUnwrap().state).toBe('captured');
  });
});

describe('if the store fails in the middle', () => {
  const failsOn =
    (kind: Change['kind']): StorePart =>
    (real) => ({
      commit: (commit) =>
        commit.changes.some((change) => change.kind === kind)
          ? errAsync(unavailable)
          : real.commit(commit),
    });

  it('an event that cannot be postponed is due again after its lease', async () => {
    const shop = await makeShop({ store: failsOn('postponeEvent') });
    await shop.create();
    const report = await shop.odd.events.deliver(() => Promise.reject(new Error('no')));
    expect(report._unsafeUnwrap()).toMatchObject({ delivered: 0, failed: 0 });
  });

  it('events that cannot be leased are not read again at once', async () => {
    const shop = await makeShop({ store: failsOn('leaseEvent') });
    await shop.create();
    const report = await shop.odd.events.deliver(async () => {}, { limit: 1 });
    expect(report._unsafeUnwrap()).toEqual({ delivered: 0, failed: 0, more: false });
  });

  it('a dead letter cannot be skipped', async () => {
    const shop = await makeShop({ store: failsOn('removeEvent') });
    const skipped = await shop.odd.events.skip({ subject: 'x', version: 1 });
    expect(skipped._unsafeUnwrapErr().type).toBe('serviceUnavailable');
  });

  it('open payments stay open, and the capture succeeds', async () => {
    let reads = 0;
    const shop = await makeShop({
      store: (real) => ({
        ledgers: {
          get(appointmentId) {
            reads += 1;
            // The first one is the comparison before the capture.
            return reads === 1 ? real.ledgers.get(appointmentId) : errAsync(unavailable);
          },
        },
      }),
    });
    const { id, clientSecret } = await shop.create();
    const captured = await shop.capture(shop.odd, id, shop.present(clientSecret));
    await shop.odd.settled();
    expect(captured.isOk()).toBe(true);
    expect(reads).toBe(2);
  });

  it('a terminal cannot be registered', async () => {
    const shop = await makeShop({ store: failsOn('insertTerminal') });
    const body = { platform: 'ios', deviceIdentifier: 'phone' } as const;
    const failed = (await shop.odd.registerTerminal(ada, { body }))._unsafeUnwrapErr();
    expect(failed.type).toBe('serviceUnavailable');
  });

  it('a capture whose key cannot be read takes no money', async () => {
    const shop = await makeShop({ store: () => ({ keys: { get: () => errAsync(unavailable) } }) });
    const { id, clientSecret } = await shop.create();
    const failed = await shop.capture(shop.odd, id, shop.present(clientSecret));
    expect(failed._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    expect(shop.fake.count('capturePayment').made).toBe(0);
  });

  it('a payment whose check cannot be postponed does not end the run', async () => {
    const shop = await makeShop({
      store: failsOn('updatePayment'),
      processor: sees(() => undefined),
    });
    await shop.create();
    shop.clock.advance(15 * minuteMs);
    const report = (await shop.odd.reconcile())._unsafeUnwrap();
    expect(report).toMatchObject({ looked: 1, unsettled: 1, needReview: [] });
  });

  it('a key whose payment cannot be read may be unfinished', async () => {
    const shop = await makeShop({
      store: (real) => ({ payments: { ...real.payments, get: () => errAsync(unavailable) } }),
    });
    await shop.create('k');
    const { appointmentId } = shop;
    const failed = await shop.odd.createContactlessPayment(ada, {
      appointmentId,
      idempotencyKey: 'k',
    });
    expect(failed._unsafeUnwrapErr().recovery.outcome).toBe('unknown');
  });

  it('a key whose payment is gone is looked up again, and finally given up', async () => {
    const shop = await makeShop({
      store: (real) => ({ payments: { ...real.payments, get: () => okAsync(undefined) } }),
    });
    await shop.create('k');
    const { appointmentId } = shop;
    const failed = await shop.odd.createContactlessPayment(ada, {
      appointmentId,
      idempotencyKey: 'k',
    });
    expect(failed._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    const refused = await shop.odd.createContactlessPayment(ada, {
      appointmentId: 'none',
      idempotencyKey: 'k',
    });
    expect(refused._unsafeUnwrapErr().recovery.outcome).toBe('notApplied');
  });

  it('a key with a stored problem of another type does not return it', async () => {
    const shop = await makeShop();
    const { id, clientSecret } = await shop.create();
    const reference = shop.present(clientSecret);
    const first = await shop.capture(shop.chairside, id, reference, 'k');
    expect(first.isOk()).toBe(true);
    const problem = (await shop.chairside.getTerminal(ada, { terminalId: 'x' }))._unsafeUnwrapErr();
    await shop.change({ kind: 'finishKey', subject: 'ada', key: 'k', problem });
    expect((await shop.capture(shop.chairside, id, reference, 'k')).isOk()).toBe(true);
  });

  it('a cancelation without a cause counts as requested', async () => {
    const shop = await makeShop();
    const { id } = await shop.create();
    const payment = await shop.stored(id);
    const work = { kind: 'cancel', fence: 7, attempt: 1, leaseUntil: 0 } as const;
    await shop.change({
      kind: 'updatePayment',
      payment: { ...payment, version: payment.version + 1, work, nextCheckAt: 0 },
      expectedVersion: payment.version,
    });
    expect((await shop.chairside.reconcile()).isOk()).toBe(true);
    expect((await shop.stored(id)).timeline.at(-1)).toMatchObject({ cause: 'requested' });
  });
});

describe('if other changes come in between', () => {
  it('a card that is presented while its payment expires is kept', async () => {
    const late = { present: () => {} };
    const shop = await makeShop({
      processor: (fake) => ({
        readPayment: (payment, claimed) => {
          const read = fake.readPayment(payment, claimed);
          late.present();
          late.present = () => {};
          return read;
        },
      }),
    });
    const { id, clientSecret } = await shop.create();
    const reference = (await shop.stored(id)).reference ?? '';
    shop.clock.advance(15 * minuteMs);
    late.present = () => {
      shop.present(clientSecret);
    };
    const refused = (await shop.capture(shop.odd, id, reference))._unsafeUnwrapErr();
    expect(refused.attributes).toEqual({ reason: 'running' });
    expect((await shop.capture(shop.odd, id, reference)).isOk()).toBe(true);
  });

  for (const canReload of [true, false]) {
    it(`a capture is recorded over another change, if the record can be read: ${canReload}`, async () => {
      let isCaptured = false;
      const shop = await makeShop({
        processor: (fake) => ({
          capturePayment: (request) =>
            fake.capturePayment(request).map(async (seen) => {
              const payment = await shop.stored(request.paymentId);
              const { version } = payment;
              await shop.change({
                kind: 'updatePayment',
                payment: { ...payment, version: version + 1 },
                expectedVersion: version,
              });
              isCaptured = true;
              return seen;
            }),
        }),
        store: (real) => ({
          payments: {
            ...real.payments,
            get: (id) => (isCaptured && !canReload ? errAsync(unavailable) : real.payments.get(id)),
          },
        }),
      });
      const { id, clientSecret } = await shop.create();
      const ended = await shop.capture(shop.odd, id, shop.present(clientSecret));
      expect(ended.isOk()).toBe(canReload);
    });
  }
});
