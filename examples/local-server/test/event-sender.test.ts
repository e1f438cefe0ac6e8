import { createServer } from 'node:http';
import { minuteMs, secondMs } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import { createFakeProcessor, signatureHeader } from '@chairside/fake-processor';
import { createManualClock, someTime } from '@chairside/testkit';
import { expect, it, onTestFinished } from 'vitest';
import type { EventPlan } from '../src/config.ts';
import { createSender } from '../src/event-sender.ts';

const all = ['payment.opened', 'payment.authorized', 'payment.canceled'];

/** A receiver that responds with these statuses, in turn, and then with 204; 0 closes the connection. */
async function openReceiver(plan: EventPlan = 'inOrder', statuses: readonly number[] = []) {
  const clock = createManualClock(someTime);
  const fake = createFakeProcessor({ clock });
  const received: RawEvent[] = [];
  const server = createServer(async (request, response) => {
    const status = statuses[received.length] ?? 204;
    const payload = Buffer.concat(await request.toArray()).toString();
    const headers = { [signatureHeader]: String(request.headers[signatureHeader]) };
    received.push({ payload, headers });
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const sender = createSender(fake, `http://127.0.0.1:${address.port}/events`, () => plan, clock);
  async function open(paymentId: string) {
    const about = { account: 'acct_1', paymentId, installation: 'shop', begunAt: someTime };
    const handle = { ...about, now: clock.now() };
    const amount = { amountMinor: 4500n, currency: 'eur', idempotencyKey: `open ${paymentId}` };
    const visit = { appointmentId: 'one', businessId: 'shop', barberId: 'ada' };
    const opened = await fake.openPayment({ ...handle, ...amount, visit });
    return { handle, clientSecret: opened._unsafeUnwrap().clientSecret };
  }
  const { clientSecret, handle } = await open('cpm_1');
  expect(fake.presentCard(clientSecret, 'visa_credit').isOk()).toBe(true);
  const canceled = await fake.cancelPayment({ ...handle, idempotencyKey: 'cancel' });
  expect(canceled.isOk()).toBe(true);
  const send = async () => expect((await sender.send()).isOk()).toBe(true);
  const types = () => received.map(({ payload }) => JSON.parse(payload).type);
  return { clock, fake, open, received, send, types };
}

it('posts pending events, in order and once, each signed when it is sent', async () => {
  const { clock, fake, received, send, types } = await openReceiver('inOrder', [204, 400, 302]);
  await send();
  clock.advance(10 * minuteMs);
  // Those that were refused come again.
  await send();
  await send();
  expect(types()).toEqual([...all, ...all.slice(1)]);
  const last = received.at(-1) ?? { payload: '', headers: {} };
  expect((await fake.parseEvent(last, clock.now())).isOk()).toBe(true);
});

it.each([500, 0])('gives an event up after five attempts that get %i', async (status) => {
  const { received, send } = await openReceiver('inOrder', Array(99).fill(status));
  for (let calls = 0; calls < 20; calls += 1) await send();
  expect(received).toHaveLength(15);
});

it('leaves the rest for later without a response', async () => {
  const { send, types } = await openReceiver('inOrder', [204, 0]);
  await send();
  await send();
  expect(types()).toEqual([...all.slice(0, 2), ...all.slice(1)]);
});

it.each([
  ['twice', all.flatMap((type) => [type, type])],
  ['outOfOrder', all.toReversed()],
  ['off', []],
] as const)('sends %s', async (plan, expected) => {
  const { send, types } = await openReceiver(plan);
  await send();
  expect(types()).toEqual(expected);
});

it('sends late', async () => {
  const { clock, open, received, send, types } = await openReceiver('late');
  await send();
  clock.advance(minuteMs - 1);
  await open('cpm_2');
  await send();
  expect(received).toEqual([]);
  clock.advance(1);
  await send();
  expect(types()).toEqual(all);
  const t = Math.floor(clock.now() / secondMs);
  expect(received[0]?.headers[signatureHeader]).toContain(`t=${t},`);
});

it('says that the storage failed', async () => {
  const broken = () => {
    throw new Error('disk full');
  };
  const fake = createFakeProcessor({ storage: { get: broken, list: broken, write: broken } });
  const sender = createSender(fake, 'http://127.0.0.1:9', () => 'inOrder');
  expect((await sender.send())._unsafeUnwrapErr()).toEqual({ kind: 'storageFailed' });
});
