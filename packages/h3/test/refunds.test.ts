import { createChairside } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { aBusiness, anAppointment, createManualClock, createMapStore } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { chairsideHandler, optionalGroups, routes } from '../src/index.ts';
import { createWorld, problemBase, problemOf } from './world.ts';

const people = {
  shop: { subject: 'user-shop', businessIds: ['business-1'] },
  ada: { subject: 'user-ada', barberId: 'barber-1' },
} as const;

/** A captured payment behind a handler. */
async function givenCaptured(refunds?: boolean) {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store: createMapStore(), processor, clock });
  expect((await chairside.records.putBusiness(aBusiness())).isOk()).toBe(true);
  expect((await chairside.records.putAppointment(anAppointment())).isOk()).toBe(true);
  const app = chairsideHandler(chairside, {
    authenticate: (token) => (token === 'shop' || token === 'ada' ? people[token] : undefined),
    problemBase,
    refunds,
  });
  const input = { appointmentId: 'appointment-1', idempotencyKey: 'create' };
  const opened = (await chairside.createContactlessPayment(people.ada, input))._unsafeUnwrap();
  const tapped = processor.presentCard(opened.clientSecret, 'visa_credit')._unsafeUnwrap();
  const captured = await chairside.captureContactlessPayment(people.ada, {
    contactlessPaymentId: opened.id,
    idempotencyKey: 'capture',
    body: { externalPaymentReference: tapped.externalPaymentReference },
  });
  expect(captured.isOk()).toBe(true);
  const path = `/contactlessPayments/${opened.id}/refunds`;
  const ask = (token: string, more: RequestInit = {}, at = path) =>
    app.request(at, {
      ...more,
      headers: {
        authorization: `Bearer ${token}`,
        ...(more.body !== undefined && { 'content-type': 'application/json' }),
        ...more.headers,
      },
    });
  const refund = (token: string, key: string | undefined, body?: string) =>
    ask(token, {
      method: 'POST',
      ...(body !== undefined && { body }),
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  return { ask, refund, path };
}

it('are not served unless the host switches them on', async () => {
  for (const refunds of [undefined, false]) {
    const { ask, refund } = await givenCaptured(refunds);
    await problemOf(await refund('shop', 'k'), 404, 'notFound');
    await problemOf(await ask('shop'), 404, 'notFound');
  }
  // The published interface does not contain them.
  const published = new Set(routes.map(({ operation }) => operation));
  const { refunds } = optionalGroups;
  expect(refunds.routes.filter(({ operation }) => published.has(operation))).toEqual([]);
});

it.each([
  [{ refunds: true }, 405, 404, 404],
  [{ charges: true }, 404, 405, 404],
  [{ tenders: true }, 404, 404, 405],
])('charges and tenders have a switch each: %o', async (options, refunds, charges, tenders) => {
  const { app } = await createWorld(options);
  const status = async (path: string) => (await app.request(path, { method: 'PUT' })).status;
  expect(await status('/contactlessPayments/x/refunds')).toBe(refunds);
  expect(await status('/appointments/x/charges')).toBe(charges);
  expect(await status('/appointments/x/tenders')).toBe(tenders);
});

it('refund, list and read, with a quota and a replay', async () => {
  const { ask, refund, path } = await givenCaptured(true);
  const made = await refund('shop', 'k', '{"amount":"10.00","reason":"too short"}');
  expect(made.status).toBe(201);
  expect(made.headers.get('ratelimit-policy')).toContain('writes');
  const text = await made.text();
  expect(made.headers.get('location')).toBe(`${path}/${JSON.parse(text).id}`);
  const again = await refund('shop', 'k', '{"amount":"10.00","reason":"too short"}');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.text()).toBe(text);
  const { id } = JSON.parse(text);
  const listed = await ask('shop');
  expect(listed.status).toBe(200);
  expect(listed.headers.get('ratelimit-policy')).toContain('reads');
  expect(await listed.json()).toMatchObject({ count: 1, captured: '45.00', refundable: '35.00' });
  const read = await ask('shop', {}, `${path}/${id}`);
  expect(await read.json()).toMatchObject({ id, amount: '10.00', state: 'succeeded' });
  await problemOf(await ask('shop', {}, `${path}/rfd_none`), 404, 'notFound');
});

it('need a key, a caller of the business and a body that makes sense', async () => {
  const { ask, refund } = await givenCaptured(true);
  await problemOf(await refund('shop', undefined), 400, 'badRequest');
  await problemOf(await refund('shop', 'k', '{"amount":"1"}'), 400, 'badRequest');
  await problemOf(await refund('shop', 'k', '{"more":1}'), 400, 'badRequest');
  await problemOf(await refund('ada', 'k'), 403, 'forbidden');
  await problemOf(await ask('ada'), 403, 'forbidden');
  await problemOf(await ask('nobody'), 401, 'unauthorized');
  await problemOf(await ask('shop', { method: 'DELETE' }), 405, 'methodNotAllowed');
  const tooMuch = await refund('shop', 'k', '{"amount":"45.01"}');
  const problem = await problemOf(tooMuch, 409, 'conflict');
  expect(problem.attributes).toMatchObject({ reason: 'exceedsRefundable', refundable: '45.00' });
});
