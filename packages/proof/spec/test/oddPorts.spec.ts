import { setImmediate as atEndOfTurn } from 'node:timers/promises';
import {
  type AuthContext,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  type Problem,
  type Result,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import {
  type Change,
  openLifetimeMs,
  type Payment,
  type Processor,
  type Read,
  type Store,
} from '@chairside/core/ports';
import {
  type CardName,
  createFakeProcessor,
  type FakeProcessor,
  faultKinds,
} from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
  type DrivenFault,
  type DrivenProcessor,
  driveProcessor,
  someTime,
} from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { givenAppointment } from '../src/shop.ts';

const ada = { subject: 'ada', barberId: 'ada', entitlements: ['contactlessPayments'] as const };
const host = { subject: 'host', systemAdministrator: true };
const owner = { subject: 'owner', businessIds: ['shop'] };
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
          : ({ ...seen, ...changed, clientSecret: '' } as never); // cast: a book entry with some members changed
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

  it.each([
    new Error('hang up'),
    { kind: 'timeout' },
    { kind: 'unavailable' },
    'timeout',
    undefined,
  ])('an error that the port does not have may hide a refund that was made: %s', async (error) => {
    const shop = await makeShop({
      processor: ({ refunds }) => ({
        refunds: {
          ...refunds,
          list: () => okAsync([]),
          refund: (request) => refunds.refund(request).andThen(() => errAsync(error as never)), // cast: as adapters without types do
        },
      }),
    });
    const { id, clientSecret } = await shop.create();
    expect((await shop.capture(shop.chairside, id, shop.present(clientSecret))).isOk()).toBe(true);
    const input = { contactlessPaymentId: id, idempotencyKey: 'refund', body: { amount: '20.00' } };
    const begun = await shop.odd.refundPayment(owner, input);
    expect(begun._unsafeUnwrapErr().recovery.outcome).toBe('unknown');
    shop.clock.advance(minuteMs);
    expect((await shop.chairside.refundPayment(owner, input)).isOk()).toBe(true);
    expect(shop.fake.entries().flatMap(({ refunds = [] }) => refunds)).toHaveLength(1);
  });

  it('a member that is null, and a time that is none, count as absent', async () => {
    const shop = await makeShop({
      processor: (fake) => ({
        ...sees(() => ({ card: null }))(fake),
        capturePayment: (request) =>
          fake
            .capturePayment(request)
            .map((entry) => ({ ...entry, card: null, reference: '', capturedAt: 0.5 }) as never), // cast: as adapters without types do
      }),
    });
    const { id, clientSecret } = await shop.create();
    const captured = await shop.capture(shop.odd, id, shop.present(clientSecret));
    expect(captured._unsafeUnwrap()).not.toHaveProperty('card');
    expect((await shop.stored(id)).capturedAt).toBe(shop.clock.now());
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
    expect(shop.fake.bookEntry(reference)?.status).toBe('authorized');
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

const login: AuthContext = {
  subject: 'ada',
  barberId: 'barber-1',
  customerId: 'customer-1',
  entitlements: ['contactlessPayments'],
};

const manager: AuthContext = { subject: 'manager', systemAdministrator: true };

/** Counts the calls of a store, and lets one of them fail. */
interface Failing {
  calls: number;
  /** The number of the call that fails; zero lets all pass. */
  at: number;
}

/** Every function of the store counts as one call. */
function failing(store: Store, state: Failing): Store {
  const wrap = <T extends object>(group: T): T =>
    new Proxy(group, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member === 'object' && member !== null) return wrap(member);
        if (typeof member !== 'function' || name === 'close') return member;
        return (...args: readonly unknown[]) => {
          state.calls += 1;
          return state.calls === state.at
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : Reflect.apply(member, target, args);
        };
      },
    });
  return wrap(store);
}

/** Each call takes three seconds, so that the lease is renewed before the next one. */
function slow<T extends object>(processor: T, advance: () => void): T {
  return new Proxy(processor, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member === 'object' && member !== null) return slow(member, advance);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        advance();
        return Reflect.apply(member, target, args);
      };
    },
  });
}

async function makeFailingShop(isSlow: boolean) {
  const clock = createManualClock();
  const fake = createFakeProcessor({ clock });
  const real = createMapStore();
  const state: Failing = { calls: 0, at: 0 };
  const chairside = createChairside({
    store: failing(real, state),
    processor: isSlow ? slow(fake, () => clock.advance(3 * secondMs)) : fake,
    clock,
    rateLimits: 'off',
  });
  const { records } = chairside;
  const puts = [
    await records.putBusiness(aBusiness()),
    await records.putBarber(aBarber()),
    await records.putAppointment(anAppointment()),
  ];
  expect(puts.every((put) => put.isOk())).toBe(true);

  const create = (idempotencyKey = 'create') =>
    chairside.createContactlessPayment(login, { appointmentId: 'appointment-1', idempotencyKey });
  const opened = async (card: CardName, key?: string) => {
    const payment = (await create(key))._unsafeUnwrap();
    const tapped = fake.presentCard(payment.clientSecret, card)._unsafeUnwrap();
    return { id: payment.id, reference: tapped.externalPaymentReference };
  };
  const capture = (
    id: string,
    externalPaymentReference: { id: string; paymentProcessor: 'processor_a' },
    idempotencyKey = 'capture',
  ) =>
    chairside.captureContactlessPayment(login, {
      contactlessPaymentId: id,
      idempotencyKey,
      body: { externalPaymentReference },
    });
  const refund = (contactlessPaymentId: string) =>
    chairside.refundPayment(manager, { contactlessPaymentId, idempotencyKey: 'refund', body: {} });
  const prepare = () =>
    chairside.preparePaymentMethod(login, {
      idempotencyKey: 'setup',
      body: { savePaymentMethod: true },
    });
  return { chairside, clock, fake, real, state, create, opened, capture, refund, prepare };
}

type Shop = Awaited<ReturnType<typeof makeFailingShop>>;

type Operation = () => Promise<Result<unknown, Problem>>;

const typeOf = (ended: Result<unknown, Problem>) => (ended.isOk() ? 'ok' : ended.error.type);

/** The work before, and the operation whose calls fail one after another. */
const operations: Readonly<Record<string, (shop: Shop) => Promise<Operation>>> = {
  'a create':
    async ({ create }) =>
    async () =>
      create(),
  'a capture': async ({ opened, capture }) => {
    const { id, reference } = await opened('visa_credit');
    return async () => capture(id, reference);
  },
  'a capture of a part': async ({ opened, capture }) => {
    const { id, reference } = await opened('partially_authorized');
    return async () => capture(id, reference);
  },
  'a capture of more than is owed': async ({ chairside, opened, capture }) => {
    const { id, reference } = await opened('visa_credit');
    const lowered = anAppointment({ amountDueMinor: 1000n });
    expect((await chairside.records.putAppointment(lowered)).isOk()).toBe(true);
    return async () => capture(id, reference);
  },
  'a capture of an overdue card': async ({ clock, opened, capture }) => {
    const { id, reference } = await opened('expires_soon');
    clock.advance(minuteMs);
    return async () => capture(id, reference);
  },
  'a capture of a payment that expired without a card': async (shop) => {
    const { clock, create, fake, capture } = shop;
    const { id } = (await create())._unsafeUnwrap();
    const [{ id: reference = '' } = {}] = fake.entries();
    clock.advance(openLifetimeMs);
    return async () => capture(id, { id: reference, paymentProcessor: 'processor_a' });
  },
  'a capture beside one of unknown outcome': async ({ opened, capture, fake }) => {
    const other = await opened('visa_credit', 'other');
    const { id, reference } = await opened('visa_credit');
    fake.failNext('capturePayment', 'timeoutBeforeApplying');
    expect((await capture(other.id, other.reference, 'other capture')).isErr()).toBe(true);
    return async () => capture(id, reference);
  },
  'a capture of a declined card': async ({ opened, capture }) => {
    const { id, reference } = await opened('declined');
    return async () => capture(id, reference);
  },
  'a create whose reply is lost':
    async ({ create, fake }) =>
    async () => {
      fake.failNext('openPayment', 'lostReply');
      return create();
    },
  'a capture whose reply is lost': async ({ opened, capture, fake }) => {
    const { id, reference } = await opened('visa_credit');
    return async () => {
      fake.failNext('capturePayment', 'lostReply');
      return capture(id, reference);
    };
  },
  'a refund': async ({ opened, capture, refund }) => {
    const { id, reference } = await opened('visa_credit');
    expect((await capture(id, reference)).isOk()).toBe(true);
    return async () => refund(id);
  },
  'a refund whose reply is lost': async ({ opened, capture, fake, refund }) => {
    const { id, reference } = await opened('visa_credit');
    expect((await capture(id, reference)).isOk()).toBe(true);
    return async () => {
      fake.failNext('refund', 'lostReply');
      return refund(id);
    };
  },
  'a refund that upkeep has tried in vain': async (shop) => {
    const { chairside, clock, opened, capture, fake, refund } = shop;
    const { id, reference } = await opened('visa_credit');
    expect((await capture(id, reference)).isOk()).toBe(true);
    fake.failNext('refund', 'timeoutBeforeApplying', 2);
    expect((await refund(id)).isErr()).toBe(true);
    clock.advance(minuteMs);
    expect((await chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    return async () => refund(id);
  },
  'a refund of a part beside another that is new': async ({ opened, capture, fake, refund }) => {
    const { id, reference } = await opened('visa_credit');
    expect((await capture(id, reference)).isOk()).toBe(true);
    expect(fake.refund(reference.id, 1000n).isOk()).toBe(true);
    return async () => refund(id);
  },
  'a cancel': async ({ chairside, opened }) => {
    const { id } = await opened('visa_credit');
    const input = { contactlessPaymentId: id };
    return async () => chairside.cancelContactlessPayment(manager, input);
  },
  'a charge': async ({ chairside, fake, prepare }) => {
    const booked = anAppointment({ customerId: 'customer-1' });
    expect((await chairside.records.putAppointment(booked)).isOk()).toBe(true);
    const { clientSecret, paymentMethodSetupId } = (await prepare())._unsafeUnwrap();
    expect(fake.completeSetup(clientSecret, 'visa_credit').isOk()).toBe(true);
    return async () =>
      chairside.chargePaymentMethod(manager, {
        appointmentId: booked.id,
        idempotencyKey: 'charge',
        body: {
          purpose: 'deposit',
          amount: '20.00',
          paymentMethodSetupId,
          agreedAt: '2026-10-01T09:00:00.000Z',
          agreementRef: 'terms-7',
        },
      });
  },
  'a lowering':
    async ({ chairside }) =>
    async () =>
      chairside.records.putAppointment(anAppointment({ amountDueMinor: 1000n })),
  'a setup':
    async ({ prepare }) =>
    async () =>
      prepare(),
  'a setup whose reply is lost':
    async ({ fake, prepare }) =>
    async () => {
      fake.failNext('openSetup', 'lostReply');
      return prepare();
    },
};

const statuses = ({ fake }: Shop) => fake.entries().map(({ status }) => status);

const countRefunds = ({ fake }: Shop) =>
  fake.entries().flatMap(({ refunds = [] }) => refunds).length;

describe.each([
  ['a processor that answers at once', false],
  ['a processor that takes three seconds', true],
])('a store whose call fails, with %s', (_, isSlow) => {
  it.each(Object.keys(operations))(
    'lets %s end with a problem, and a retry end as it would',
    async (name) => {
      const prepare = operations[name];
      if (prepare === undefined) throw new Error(name);
      const whole = await makeFailingShop(isSlow);
      const act = await prepare(whole);
      whole.state.calls = 0;
      const expected = await act();
      const { calls } = whole.state;
      const allowed = ['serviceUnavailable', typeOf(expected)];
      expect(calls).toBeGreaterThan(1);

      for (let at = 1; at <= calls; at += 1) {
        const shop = await makeFailingShop(isSlow);
        const again = await prepare(shop);
        const before = countRefunds(shop);
        shop.state.calls = 0;
        shop.state.at = at;
        const first = await again();
        const repeated = first.isOk() ? await again() : first;
        // A response that promises success is durable, and a failed call is no fault of ours.
        expect([at, repeated.isOk()]).toEqual([at, first.isOk()]);
        if (first.isErr()) expect(allowed).toContain(first.error.type);
        await shop.chairside.settled();
        // Later than every lease.
        shop.clock.advance(60 * secondMs);
        const retried = await again();
        expect([at, retried.isOk()]).toEqual([at, expected.isOk()]);
        expect([at, ...statuses(shop)]).toEqual([at, ...statuses(whole)]);
        expect(countRefunds(shop)).toBeLessThanOrEqual(before + 1);
      }
    },
  );
});

const account = 'acct_shop';
const handle = { account, paymentId: 'cpm_1', installation: 'here', begunAt: 0 };
const money = { amountMinor: 4500n, currency: 'eur' };

function createFake(): FakeProcessor {
  return createFakeProcessor({ clock: createManualClock(), seed: 'driven' });
}

/** The fake's adapter, of which the driver knows no faults. */
function createDriven(): DrivenProcessor {
  const fake = createFake();
  return driveProcessor(fake, {
    longestHoldMs: fake.longestHoldMs,
    entries: async () => fake.entries(),
    presentCard: async (clientSecret) =>
      fake.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap().externalPaymentReference.id,
  });
}

/** Captures a payment under one key, again under the same key, and then under another one. */
async function captureAgain(processor: DrivenProcessor, fault: DrivenFault): Promise<unknown> {
  const opening = { ...handle, ...money, idempotencyKey: 'open' };
  const { clientSecret } = (await processor.openPayment(opening))._unsafeUnwrap();
  const presented = (await processor.presentCard(clientSecret, 'visa_credit'))._unsafeUnwrap();
  const reference = presented.externalPaymentReference.id;
  const capture = (idempotencyKey: string) =>
    processor.capturePayment({ ...handle, ...money, reference, idempotencyKey });
  const status = async () => (await processor.entries()).map((entry) => entry.status);

  processor.failNext('capturePayment', fault);
  const capturing = capture('one');
  await new Promise((resolve) => setImmediate(resolve));
  const seen: unknown[] = [await status()];
  seen.push(processor.release(), await capturing, await status());
  seen.push(await processor.landAbandoned(), await status());
  seen.push(await capture('one'), await capture('two'), await status());
  return [...seen, processor.count('capturePayment').made];
}

describe('driveProcessor without controls of faults', () => {
  it.each(faultKinds)('answers %s as the fake does', async (fault) => {
    expect(await captureAgain(createDriven(), fault)).toEqual(
      await captureAgain(createFake(), fault),
    );
  });

  it('answers for accounts that are disabled, until they are enabled', async () => {
    const processor = createDriven();
    const read = () => processor.readPayment(handle);
    await processor.disableAccount(account);
    expect((await read())._unsafeUnwrapErr()).toEqual({ kind: 'notSetUp' });
    expect((await processor.readPayment({ ...handle, account: 'other' })).isOk()).toBe(true);
    await processor.enableAccount(account);
    expect((await read()).isOk()).toBe(true);
  });

  it('rejects a terminal location that is no longer accepted', async () => {
    const processor = createDriven();
    const token = (terminalLocation: string) =>
      processor.createConnectionToken({ account, terminalLocation });
    await processor.rejectLocation('gone');
    expect((await token('gone'))._unsafeUnwrapErr().kind).toBe('rejected');
    expect((await token('here')).isOk()).toBe(true);
  });

  it('returns an error for an action that has no control', async () => {
    const processor = createDriven();
    expect((await processor.refund('pay_1', 100n)).isErr()).toBe(true);
    expect((await processor.completeSetup('secret')).isErr()).toBe(true);
    expect((await processor.takeEvents())._unsafeUnwrap()).toEqual([]);
  });
});

const haircut = anAppointment({ id: 'haircut', businessId: 'shop' });
const shop = aBusiness({ id: 'shop' });
const barber: AuthContext = {
  subject: 'ada',
  barberId: haircut.barber.id,
  entitlements: ['contactlessPayments'],
};

/** Notes each commit, and the reads that begin before one of them has its result as one `read`. */
function counting(store: Store, steps: string[]): Store {
  let reading = 0;
  function read<T>(find: () => Read<T>): Read<T> {
    if (reading === 0) steps.push('read');
    reading += 1;
    const result = atEndOfTurn().then(() => {
      reading -= 1;
      return find();
    });
    return new ResultAsync(result);
  }
  const groups = Object.entries(store).map(([name, group]: [string, unknown]) => {
    if (typeof group !== 'object' || group === null) return [name, group];
    const reads = Object.entries(group).map(([method, find]) => [
      method,
      (...query: readonly unknown[]) => read(() => Reflect.apply(find, group, query)),
    ]);
    return [name, Object.fromEntries(reads)];
  });
  const commit: Store['commit'] = (given) => {
    steps.push('commit');
    return store.commit(given);
  };
  return { ...Object.fromEntries(groups), commit };
}

/** A shop whose steps are noted. The host's reads are `ask`. */
async function openShop(keeper: 'Chairside' | 'host' = 'Chairside') {
  const steps: string[] = [];
  const appointments = {
    get: () => {
      steps.push('ask');
      return okAsync(haircut);
    },
  };
  const store = createMapStore();
  const clock = createManualClock();
  const changes: Change[] = [
    { kind: 'putBusiness', business: shop },
    { kind: 'putBarber', barber: { id: haircut.barber.id, businessId: 'shop' } },
  ];
  if (keeper === 'Chairside') changes.push({ kind: 'putAppointment', appointment: haircut });
  (await store.commit({ id: 'given', at: someTime, changes }))._unsafeUnwrap();
  const fake = createFakeProcessor({ clock });
  const noting = (name: 'openPayment' | 'readPayment' | 'capturePayment') =>
    ({
      [name]: (...given: readonly unknown[]) => {
        steps.push(name);
        return Reflect.apply(fake[name], fake, given);
      },
    }) as Pick<Processor, typeof name>; // cast: it calls the method of the same name
  const processor = {
    ...fake,
    ...noting('openPayment'),
    ...noting('readPayment'),
    ...noting('capturePayment'),
  };
  const chairside = createChairside({
    store: { ...counting(store, steps), ...(keeper === 'host' && { appointments }) },
    processor,
    clock,
    rateLimits: 'off',
  });
  const taken = () => steps.splice(0);
  // A process looks up the number of each person once (D211).
  const phone = { platform: 'android', deviceIdentifier: 'phone' } as const;
  (await chairside.registerTerminal(barber, { body: phone }))._unsafeUnwrap();
  taken();

  async function create() {
    const input = { appointmentId: haircut.id, idempotencyKey: 'open' };
    return (await chairside.createContactlessPayment(barber, input))._unsafeUnwrap();
  }

  async function capture() {
    const { id, clientSecret } = await create();
    const presented = fake.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    taken();
    const body = { externalPaymentReference: presented.externalPaymentReference };
    const input = { contactlessPaymentId: id, idempotencyKey: 'capture', body };
    (await chairside.captureContactlessPayment(barber, input))._unsafeUnwrap();
    await chairside.settled();
    return taken();
  }

  return { create, capture, taken };
}

describe('each step makes its reads together', () => {
  it('a create reads once, and commits twice', async () => {
    const { create, taken } = await openShop();
    await create();
    expect(taken()).toStrictEqual(['read', 'commit', 'openPayment', 'commit']);
  });

  it('a repeated create reads its payment after its key', async () => {
    const { create, taken } = await openShop();
    await create();
    taken();
    await create();
    expect(taken()).toStrictEqual(['read', 'read']);
  });

  it('a capture reads at first, and for the comparison after the reservation', async () => {
    const captured = await (await openShop()).capture();
    const steps = ['read', 'readPayment', 'commit', 'read', 'capturePayment', 'commit'];
    // After the response, it reads for the release of other payments.
    expect(captured).toStrictEqual([...steps, 'read']);
  });

  it('a host that keeps appointments is asked at the same moment', async () => {
    const { create, capture, taken } = await openShop('host');
    await create();
    // The business is known only afterwards.
    expect(taken()).toStrictEqual(['read', 'ask', 'read', 'commit', 'openPayment', 'commit']);
    expect(await capture()).toStrictEqual([
      'read',
      ...['readPayment', 'ask'],
      'commit',
      ...['ask', 'read'],
      'capturePayment',
      'commit',
      'read',
    ]);
  });
});
