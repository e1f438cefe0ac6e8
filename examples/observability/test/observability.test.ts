import { createChairside, type Observation, type Observer } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { createManualClock, createMapStore, someTime } from '@chairside/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLogObserver } from '../src/logs.ts';

const barber = {
  subject: 'user-ada',
  barberId: 'ada',
  entitlements: ['contactlessPayments'],
} as const;

function memoryLogger() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'debug', base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return { lines, observe: createLogObserver(logger) };
}

/** Opens a payment, perhaps without a processor account. Returns the payment's client secret. */
async function openPayment(observe: Observer, requestId = 'req_1'): Promise<string> {
  const clock = createManualClock();
  const chairside = createChairside({
    store: createMapStore(),
    processor: createFakeProcessor({ clock }),
    clock,
    observe: (seen) => seen.requestId !== undefined && observe(seen),
  });
  const { records } = chairside;
  const processorAccount = { id: 'acct_shop', currency: 'eur' };
  for (const put of [
    await records.putBusiness({ id: 'shop', name: 'Marlow & Sons', processorAccount }),
    await records.putBarber({ id: 'ada', businessId: 'shop' }),
    await records.putAppointment({
      id: 'appointment',
      businessId: 'shop',
      amountDueMinor: 4500n,
      occursOn: '2026-11-02T10:00:00.000Z',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    }),
  ]) {
    expect(put.isOk()).toBe(true);
  }
  const opened = await chairside.createContactlessPayment(
    { auth: barber, requestId, facts: {} },
    { appointmentId: 'appointment', idempotencyKey: 'key' },
  );
  return opened._unsafeUnwrap().clientSecret;
}

test('logs have exactly the allowed fields', async () => {
  const { lines, observe } = memoryLogger();
  const secret = await openPayment(observe);
  // The first request of a database also writes to which processor it belongs (D210).
  expect(lines).toHaveLength(5);
  expect(lines.at(-1)).toEqual({
    level: 30,
    kind: 'operation',
    name: 'createContactlessPayment',
    outcome: 'ok',
    requestId: 'req_1',
    durationMs: 0,
    msg: 'createContactlessPayment: ok',
  });
  expect(JSON.stringify(lines)).not.toContain(secret);

  const careless = {
    kind: 'failure',
    name: 'rateLimiter',
    outcome: 'limiterFailed',
    startedAt: someTime,
    endedAt: someTime,
    clientSecret: 'canary',
    nested: { card: 'canary' },
  } as const satisfies Observation & Record<string, unknown>;
  observe(careless);
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'rateLimiter: limiterFailed' });
  expect(JSON.stringify(lines)).not.toContain('canary');
});
