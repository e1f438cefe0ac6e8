import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
//#if sqlite
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
//#end
import { after, test } from 'node:test';
import { createClient } from '@chairside/client';
import { openShop } from '../src/shop.ts';
import { openTerminal } from './terminal.ts';

process.env['INSTALLATION'] ??= 'test';
//#if sqlite
const folder = mkdtempSync(join(tmpdir(), 'shop-'));
process.env['DATABASE'] = join(folder, 'shop.db');
//#end
const terminal = openTerminal();
const shop = await openShop(terminal);
after(() => shop.close());
//#if sqlite
after(() => rmSync(folder, { recursive: true }));
//#end

/** The barber's app. It calls the shop's handler without a network. */
const appOf = (token: string) =>
  createClient({
    baseUrl: 'http://shop.test/payments',
    accessToken: () => token,
    fetch: async (url, init) => shop.payments.fetchWithBasePath(new Request(url, init)),
  });
const app = appOf('session-of-ada');

/** A new appointment, so the tests can run on a database that is in use. */
async function book(): Promise<string> {
  const id = randomUUID();
  await shop.appointments.add({ id, startsAt: '2027-01-04T12:00:00.000Z', price: 4500, paid: 0 });
  return id;
}

test('a tap pays an appointment, once', async () => {
  const appointmentId = await book();
  const opening = { appointmentId, idempotencyKey: randomUUID() };
  const opened = await app.createContactlessPayment(opening);
  assert(opened.isOk());
  const externalPaymentReference = terminal.tap(opened.value.clientSecret);
  const capturing = {
    contactlessPaymentId: opened.value.id,
    idempotencyKey: randomUUID(),
    body: { externalPaymentReference },
  };
  for (const attempt of [1, 2]) {
    const captured = await app.captureContactlessPayment(capturing);
    assert(captured.isOk(), `attempt ${attempt}`);
    assert.equal(captured.value.state, 'captured');
    assert.equal(captured.value.amount, '45.00');
  }
  await shop.upkeep();
  await shop.upkeep();
  assert.equal((await shop.appointments.get(appointmentId))?.paid, 4500);

  const again = await app.createContactlessPayment({ appointmentId, idempotencyKey: randomUUID() });
  assert(again.isErr());
  assert.equal(again.error.type, 'appointmentAlreadyPaid');
});

test('an unknown session cannot take a payment', async () => {
  const appointmentId = await book();
  const stranger = appOf('session-of-a-stranger');
  const refused = await stranger.createContactlessPayment({
    appointmentId,
    idempotencyKey: 'open',
  });
  assert(refused.isErr());
  assert.equal(refused.error.type, 'unauthorized');
});
