import {
  type AuthContext,
  createChairside,
  errAsync,
  minuteMs,
  openLifetimeMs,
  type Problem,
  type Result,
  type Store,
  secondMs,
} from '@chairside/core';
import { type CardName, createFakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
} from '@chairside/testkit';
import { describe, expect, it } from 'vitest';

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

async function makeShop(isSlow: boolean) {
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

type Shop = Awaited<ReturnType<typeof makeShop>>;

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
      const whole = await makeShop(isSlow);
      const act = await prepare(whole);
      whole.state.calls = 0;
      const expected = await act();
      const { calls } = whole.state;
      const allowed = ['serviceUnavailable', typeOf(expected)];
      expect(calls).toBeGreaterThan(1);

      for (let at = 1; at <= calls; at += 1) {
        const shop = await makeShop(isSlow);
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
