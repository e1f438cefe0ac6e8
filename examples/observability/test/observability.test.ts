import { createChairside, type Observation, type Observer } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
  someTime,
} from '@chairside/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLogObserver } from '../src/logs.ts';

const barber = {
  subject: 'user-ada',
  barberId: 'barber-1',
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

/** Opens a payment. Returns its client secret. */
async function openPayment(observe: Observer): Promise<string> {
  const clock = createManualClock();
  const chairside = createChairside({
    store: createMapStore(),
    processor: createFakeProcessor({ clock }),
    clock,
    observe: (seen) => seen.requestId !== undefined && observe(seen),
  });
  const { records } = chairside;
  (await records.putBusiness(aBusiness()))._unsafeUnwrap();
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  (await records.putAppointment(anAppointment()))._unsafeUnwrap();
  const opened = await chairside.createContactlessPayment(
    { auth: barber, requestId: 'req_1', facts: {} },
    { appointmentId: 'appointment-1', idempotencyKey: 'key' },
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
