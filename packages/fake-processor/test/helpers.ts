import { type Clock, hourMs, type Result } from '@chairside/core';
import type { OpenSetupRequest, PaymentHandle, RawEvent } from '@chairside/core/ports';
import {
  type CardName,
  createFakeProcessor,
  type FakeProcessor,
  type FakeProcessorOptions,
} from '@chairside/fake-processor';

/** A frozen clock that only the test moves. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export const startAt = Date.UTC(2026, 10, 21, 9);

export function testClock(): TestClock {
  let at = startAt;
  return {
    now: () => at,
    advance(ms) {
      at += ms;
    },
  };
}

export function setUp(options: Partial<FakeProcessorOptions> = {}): {
  readonly fake: FakeProcessor;
  readonly clock: TestClock;
} {
  const clock = testClock();
  return { fake: createFakeProcessor({ clock, ...options }), clock };
}

export const handle: PaymentHandle = {
  account: 'acct_1',
  paymentId: 'cpm_1',
  installation: 'shop',
  begunAt: startAt,
};
export const charge = { ...handle, amountMinor: 4537n, currency: 'usd' };

/** Every payment of the shop in `acct_1`. */
export const sweep = {
  books: 'acct_1',
  installation: 'shop',
  openedFrom: startAt - hourMs,
  openedBefore: startAt + hourMs,
  limit: 100,
};

export const setup: OpenSetupRequest = {
  setupId: 'pms_1',
  installation: 'shop',
  customerId: 'customer_1',
  savePaymentMethod: true,
  begunAt: startAt,
  idempotencyKey: 'setup_1',
};

/** Opens `cpm_1` and returns it with its reference and client secret. */
export async function openPayment(fake: FakeProcessor, idempotencyKey = 'open_1') {
  const opened = value(await fake.openPayment({ ...charge, idempotencyKey }));
  return { ...charge, ...opened };
}

export async function authorizePayment(fake: FakeProcessor, card: CardName = 'visa_credit') {
  const opened = await openPayment(fake);
  const { externalPaymentReference } = value(fake.presentCard(opened.clientSecret, card));
  return { ...opened, reference: externalPaymentReference.id };
}

export async function capturePayment(fake: FakeProcessor) {
  const payment = await authorizePayment(fake);
  value(await fake.capturePayment({ ...charge, idempotencyKey: 'capture_1' }));
  return payment;
}

/** The parsed content of events. */
export function told(events: readonly RawEvent[]): readonly Record<string, string>[] {
  return events.map(({ payload }) => JSON.parse(payload));
}

export function value<T, E>(result: Result<T, E>): T {
  if (result.isErr()) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function problem<T, E>(result: Result<T, E>): E {
  if (result.isOk()) throw new Error('accepted, where it should have been refused');
  return result.error;
}
