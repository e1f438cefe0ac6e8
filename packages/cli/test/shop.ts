import {
  type Chairside,
  type Clock,
  type CloudEvent,
  type CreateContactlessPaymentBody,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  parseMoney,
} from '@chairside/core';
import type { Processor, ProcessorError, Store } from '@chairside/core/ports';
import { type CardName, createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import { createManualClock, type ManualClock } from '@chairside/testkit';
import type { Opened } from '../src/config.ts';

/** A shop in which everything has gone wrong that an operator may find. */
export interface Shop {
  readonly clock: ManualClock;
  readonly chairside: Chairside;
  readonly opened: Opened;
  /** Ids by what happened to them. */
  readonly ids: Readonly<
    Record<
      'refunded' | 'unknown' | 'onlyAtProcessor' | 'differing' | 'untouched' | 'charged',
      string
    >
  >;
  /** The processor rejects the key from now on, or no longer. */
  rejectKey(isRejected: boolean): void;
  /** Sets the clock right, and lets two hours pass. */
  mendClock(): void;
  /** Your handler accepts every event from now on. */
  mendHandler(): void;
}

const operator = { subject: 'owner', systemAdministrator: true } as const;
const clockOffMs = 90_000;

/** What an operator sees of a healthy shop: one paid visit. */
export async function openHealthyShop(real: Store): Promise<Shop> {
  return openShop(real, async (shop) => {
    const refunded = await shop.pay('haircut', '45.00');
    shop.clock.advance(2 * hourMs);
    shop.mendHandler();
    await shop.runUpkeep();
    return { refunded: refunded.id };
  });
}

/** One tap pays for a mother and a child; the tip is shared by two barbers, and a part of the child's goes back. */
export async function openSharingShop(real: Store): Promise<Shop> {
  return openShop(real, async (shop) => {
    const { chairside, clock } = shop;
    done(await chairside.records.putBarber({ id: 'cleo', businessId: 'marlow' }));
    await shop.book('child', '20.00');
    const alsoPays = [{ appointmentId: 'child', amount: '20.00' }];
    const paid = await shop.begin('mother', '45.00', '10.00', alsoPays);
    clock.advance(minuteMs);
    await shop.capture(paid);
    const contactlessPaymentId = paid.id;
    const shares = [
      { appointmentId: 'mother', barberId: 'ada', amount: '49.00', tip: '4.00' },
      { appointmentId: 'mother', barberId: 'cleo', amount: '6.00', tip: '6.00' },
      { appointmentId: 'child', amount: '20.00' },
    ];
    const shared = { contactlessPaymentId, idempotencyKey: 'share', body: { shares } };
    done(await chairside.sharePayment(operator, shared));
    const body = { amount: '5.00', appointmentId: 'child' };
    done(
      await chairside.refundPayment(operator, {
        contactlessPaymentId,
        idempotencyKey: 'refund-child',
        body,
      }),
    );
    return { refunded: paid.id };
  });
}

export async function openTroubledShop(real: Store): Promise<Shop> {
  return openShop(real, async (shop) => {
    const { chairside, clock, fake } = shop;
    const refunded = await shop.pay('haircut', '45.00', '5.00');
    const contactlessPaymentId = refunded.id;
    for (const [amount, isSlow] of [
      ['10.00', false],
      ['5.00', true],
    ] as const) {
      fake.slowRefunds(isSlow);
      const body = { amount, reason: 'The cut was too short' };
      const asked = { contactlessPaymentId, idempotencyKey: `refund-${amount}`, body };
      done(await chairside.refundPayment(operator, asked));
      // Lists are in order of ids, and ids of one moment have any order.
      clock.advance(minuteMs);
    }
    fake.slowRefunds(false);
    done(fake.refund(refunded.reference, 200n));
    clock.advance(minuteMs);
    done(fake.dispute(refunded.reference, 1500n));

    // The reply of a capture is lost, and then the account goes.
    const unknown = await shop.begin('shave', '28.00');
    await shop.capture(unknown, 'expected to fail');

    const charged = await shop.takeDeposit('missed', '60.00', '20.00');
    await shop.takeCash('trim', '30.00', '20.00');
    const onlyAtProcessor = await openOrphan(fake, clock);

    // Three days and some hours later, with upkeep on time.
    for (let hour = 0; hour < 30; hour += 1) {
      clock.advance(hourMs);
      await shop.runUpkeep();
    }
    const differing = await shop.pay('beard', '19.00');
    for (let hour = 0; hour < 50; hour += 1) {
      clock.advance(hourMs);
      await shop.runUpkeep();
    }

    await shop.book('beard', '15.00');

    // From here on upkeep does not run, and the clock is off.
    const untouched = await shop.begin('colour', '80.00');
    shop.tamper(differing.id);
    clock.advance(4 * hourMs);
    shop.setClockOff(clockOffMs);
    return {
      refunded: refunded.id,
      charged,
      unknown: unknown.id,
      onlyAtProcessor,
      differing: differing.id,
      untouched: untouched.id,
    };
  });
}

interface Making {
  readonly chairside: Chairside;
  readonly clock: ManualClock;
  readonly fake: FakeProcessor;
  /** Puts the visit, or changes what it owes. */
  book(visit: string, amountDue: string): Promise<void>;
  /** Takes a part in cash, and gives half of it back. */
  takeCash(visit: string, amountDue: string, amount: string): Promise<void>;
  begin(
    visit: string,
    amountDue: string,
    tip?: string,
    alsoPays?: CreateContactlessPaymentBody['alsoPays'],
  ): Promise<Begun>;
  /** Charges a saved card, and returns the id of the charge. */
  takeDeposit(visit: string, amountDue: string, amount: string): Promise<string>;
  capture(begun: Begun, expected?: 'expected to fail'): Promise<void>;
  pay(visit: string, amountDue: string, tip?: string): Promise<Begun>;
  runUpkeep(): Promise<void>;
  /** The processor shows another captured amount of this payment. */
  tamper(paymentId: string): void;
  setClockOff(ms: number): void;
  mendHandler(): void;
}

interface Begun {
  readonly id: string;
  readonly reference: string;
  readonly login: { readonly subject: string; readonly barberId: string };
}

async function openShop(
  real: Store,
  make: (making: Making) => Promise<Partial<Shop['ids']>>,
): Promise<Shop> {
  const clock = createManualClock();
  let offMs = 0;
  const others: Clock = { now: () => clock.now() - offMs };
  const fake = createFakeProcessor({ clock: others });
  const tampered = new Set<string>();
  let isKeyRejected = false;
  let isHandlerBroken = true;
  const rejected: ProcessorError = {
    kind: 'unavailable',
    outcome: 'notApplied',
    answered: false,
    why: 'keyRejected',
  };
  const processor: Processor = {
    ...fake,
    listPayments: (asked) => (isKeyRejected ? errAsync(rejected) : fake.listPayments(asked)),
    capturePayment(asked) {
      if (asked.account !== 'acct_gone') return fake.capturePayment(asked);
      fake.disableAccount(asked.account);
      return errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false });
    },
    readPayment: (handle, claimed) =>
      isKeyRejected
        ? errAsync(rejected)
        : fake
            .readPayment(handle, claimed)
            .map((seen) =>
              seen !== undefined && tampered.has(handle.paymentId)
                ? { ...seen, capturedMinor: seen.amountMinor + 100n }
                : seen,
            ),
  };
  // The shared clock is the test's, independent of the database server's time.
  const store = real.now === undefined ? real : { ...real, now: () => okAsync(others.now()) };
  const chairside = createChairside({
    store,
    processor,
    clock,
    rateLimits: 'off',
    tips: {},
    shares: true,
  });
  for (const put of [
    await chairside.records.putBusiness({
      id: 'marlow',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
    }),
    await chairside.records.putBusiness({
      id: 'elsewhere',
      name: 'Gone Fishing',
      processorAccount: { id: 'acct_gone', currency: 'eur' },
    }),
    await chairside.records.putBarber({ id: 'ada', businessId: 'marlow' }),
    await chairside.records.putBarber({ id: 'ben', businessId: 'elsewhere' }),
  ]) {
    done(put);
  }

  async function deliver({ subject, type }: CloudEvent): Promise<void> {
    const isRefused = type.endsWith('.captured') && isHandlerBroken;
    if (isRefused && subject === (await firstId)) throw new Error('the table is locked');
  }

  let tellFirst: (id: string) => void = () => undefined;
  const firstId = new Promise<string>((resolve) => {
    tellFirst = resolve;
  });

  const making: Making = {
    chairside,
    clock,
    fake,
    async book(visit, amountDue) {
      const isGone = visit === 'shave';
      done(
        await chairside.records.putAppointment({
          id: visit,
          businessId: isGone ? 'elsewhere' : 'marlow',
          amountDueMinor: done(parseMoney(amountDue)),
          customerId: 'customer-1',
          occursOn: '2026-11-02T10:00:00.000Z',
          timeZone: 'Europe/Berlin',
          barber: {
            id: isGone ? 'ben' : 'ada',
            givenName: isGone ? 'Ben' : 'Ada',
            surname: 'Marlow',
          },
          location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
        }),
      );
    },
    async takeCash(visit, amountDue, amount) {
      await making.book(visit, amountDue);
      const taken = done(
        await chairside.recordTender(operator, {
          appointmentId: visit,
          idempotencyKey: `cash-${visit}`,
          body: { kind: 'cash', amount, note: 'at the desk' },
        }),
      );
      clock.advance(minuteMs);
      done(
        await chairside.returnTender(operator, {
          tenderId: taken.id,
          idempotencyKey: `return-${visit}`,
          body: { amount: '5.00' },
        }),
      );
      clock.advance(minuteMs);
    },
    async takeDeposit(visit, amountDue, amount) {
      await making.book(visit, amountDue);
      const customer = { subject: 'user-customer', customerId: 'customer-1' };
      const setup = done(
        await chairside.preparePaymentMethod(customer, { body: { savePaymentMethod: true } }),
      );
      done(fake.completeSetup(setup.clientSecret));
      const charge = done(
        await chairside.chargePaymentMethod(operator, {
          appointmentId: visit,
          idempotencyKey: `deposit-${visit}`,
          body: {
            paymentMethodSetupId: setup.paymentMethodSetupId,
            purpose: 'deposit',
            amount,
            agreedAt: '2026-11-01T17:05:00.000Z',
            agreementRef: 'deposits-2026-11',
          },
        }),
      );
      clock.advance(minuteMs);
      return charge.id;
    },
    async begin(visit, amountDue, tip, alsoPays) {
      const barberId = visit === 'shave' ? 'ben' : 'ada';
      const login = { subject: `user-${barberId}`, barberId };
      await making.book(visit, amountDue);
      const opened = done(
        await chairside.createContactlessPayment(login, {
          appointmentId: visit,
          idempotencyKey: `create-${visit}`,
          ...(tip !== undefined && { body: { tip, alsoPays } }),
        }),
      );
      tellFirst(opened.id);
      return { id: opened.id, login, reference: present(fake, opened.clientSecret, 'visa_credit') };
    },
    async capture({ id, reference, login }, expected) {
      const captured = await chairside.captureContactlessPayment(login, {
        contactlessPaymentId: id,
        idempotencyKey: `capture-${id}`,
        body: { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } },
      });
      if (captured.isOk() !== (expected === undefined)) throw new Error('an unexpected capture');
    },
    async pay(visit, amountDue, tip) {
      const begun = await making.begin(visit, amountDue, tip);
      clock.advance(minuteMs);
      await making.capture(begun);
      return begun;
    },
    async runUpkeep() {
      done(await chairside.upkeep({ deliver }));
    },
    mendHandler() {
      isHandlerBroken = false;
    },
    tamper: (id) => tampered.add(id),
    setClockOff(ms) {
      offMs = ms;
    },
  };
  const made = await make(making);
  const none = 'cpm_none';
  return {
    clock,
    chairside,
    opened: {
      chairside,
      deliver,
      businesses: ['marlow', 'elsewhere'],
      isReadOnly: false,
      close: async () => {},
    },
    ids: {
      refunded: none,
      unknown: none,
      onlyAtProcessor: none,
      differing: none,
      untouched: none,
      charged: none,
      ...made,
    },
    rejectKey(isRejected) {
      isKeyRejected = isRejected;
    },
    mendClock() {
      offMs = 0;
      clock.advance(2 * hourMs);
    },
    mendHandler: making.mendHandler,
  };
}

function present(fake: FakeProcessor, clientSecret: string, card: CardName): string {
  return done(fake.presentCard(clientSecret, card)).externalPaymentReference.id;
}

/** A payment with our mark at the processor that was captured, and has no record here. */
async function openOrphan(fake: FakeProcessor, clock: Clock): Promise<string> {
  const handle = {
    account: 'acct_shop',
    paymentId: 'cpm_01kby0orphan',
    installation: 'chairside',
    begunAt: clock.now(),
  };
  const money = { amountMinor: 3300n, currency: 'eur' };
  const opened = done(
    await fake.openPayment({ ...handle, ...money, idempotencyKey: 'orphan:open:1' }),
  );
  const reference = present(fake, opened.clientSecret, 'visa_credit');
  const capture = { ...handle, ...money, reference, idempotencyKey: 'orphan:capture:1' };
  done(await fake.capturePayment(capture));
  return handle.paymentId;
}

function done<T>(result: { isOk(): boolean; _unsafeUnwrap(): T; _unsafeUnwrapErr(): unknown }): T {
  if (!result.isOk()) throw new Error(JSON.stringify(result._unsafeUnwrapErr()));
  return result._unsafeUnwrap();
}
