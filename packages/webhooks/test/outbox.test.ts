import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChairside } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
} from '@chairside/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { createWebhookHandler } from '../src/index.ts';
import { secret, startReceiver } from './receiver.ts';

const hourMs = 3_600_000;

async function openShop(url: string) {
  const clock = createManualClock();
  const chairside = createChairside({
    store: createMapStore(),
    processor: createFakeProcessor({ clock }),
    clock,
  });
  const { records } = chairside;
  (await records.putBusiness(aBusiness()))._unsafeUnwrap();
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  (await records.putAppointment(anAppointment()))._unsafeUnwrap();
  const call = {
    auth: { subject: 'ada', barberId: 'barber-1', entitlements: ['contactlessPayments'] },
    facts: {},
  } as const;
  const created = await chairside.createContactlessPayment(call, {
    appointmentId: 'appointment-1',
    idempotencyKey: 'key-1',
  });
  const { id } = created._unsafeUnwrap();
  const canceled = await chairside.cancelContactlessPayment(call, { contactlessPaymentId: id });
  expect(canceled.isOk()).toBe(true);
  const handler = createWebhookHandler({ url, secrets: [secret], allowPrivateAddresses: true });
  const deliver = async () =>
    (await chairside.events.deliver(handler._unsafeUnwrap()))._unsafeUnwrap();
  return { chairside, clock, deliver };
}

test('the outbox repeats what the receiver refuses, and keeps the order', async () => {
  const { url, received } = await startReceiver(500, 503);
  const { clock, deliver } = await openShop(url);
  for (let attempts = 0; attempts < 3; attempts += 1) {
    await deliver();
    clock.advance(hourMs);
  }
  const [first, second, third, ...others] = received.map(({ headers }) => headers['webhook-id']);
  expect([second, third]).toEqual([first, first]);
  expect(others.length).toBeGreaterThan(0);
  const sequences = received.slice(2).map(({ body }) => String(JSON.parse(body).sequence));
  expect(sequences).toEqual(sequences.toSorted());
});

test('ten refusals make a dead letter', async () => {
  const { url, received } = await startReceiver(...Array.from({ length: 10 }, () => 500));
  const { chairside, clock, deliver } = await openShop(url);
  for (let attempts = 0; attempts < 12; attempts += 1) {
    await deliver();
    clock.advance(hourMs);
  }
  expect(received).toHaveLength(10);
  const [dead, ...others] = (await chairside.events.listDeadLetters())._unsafeUnwrap();
  expect(others).toEqual([]);
  expect(dead?.event.id).toBe(received[0]?.headers['webhook-id']);
  const { subject = '', version = 0 } = dead ?? {};
  expect((await chairside.events.redeliver({ subject, version })).isOk()).toBe(true);
  await deliver();
  expect(received.at(10)?.headers['webhook-id']).toBe(dead?.event.id);
});

test('the OpenAPI document describes every request', async () => {
  const path = join(import.meta.dirname, '../../../docs/openapi-webhooks.json');
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')), 'document');
  const isDescribed = (type: string, event: unknown) => {
    const media = `webhooks/${type}/post/requestBody/content/application~1json/schema`;
    return ajv.validate({ $ref: `document#/${media}` }, event);
  };
  const { url, received } = await startReceiver();
  const { deliver } = await openShop(url);
  await deliver();
  await deliver();
  const events = received.map(({ body }) => JSON.parse(body));
  expect(events.map(({ type }) => type)).toEqual([
    'contactlessPayment.created',
    'contactlessPayment.canceled',
  ]);
  for (const event of events) {
    expect(isDescribed(event.type, event), ajv.errorsText()).toBe(true);
    expect(isDescribed('contactlessPayment.captured', event)).toBe(false);
    expect(isDescribed(event.type, { ...event, data: { ...event.data, amount: 45 } })).toBe(false);
  }
});
