import { createChairside, type Observation, type Observer, okAsync } from '@chairside/core';
import { problemSchema, type RawEvent } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { processorEventsHandler } from '@chairside/h3';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { H3 } from 'h3';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { givenAppointment } from '../src/shop.ts';

function makeHost(observe: Observer = () => {}, publicUrl?: string) {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store: createMapStore(), processor, clock, observe });
  const host = new H3();
  const options = { problemBase: 'https://shop.example', publicUrl };
  host.all('/processor/events', processorEventsHandler(chairside, options));
  return { clock, processor, host };
}

describe('processorEventsHandler', () => {
  it('handles a signed message, outside the bearer routes', async () => {
    const { host, processor } = makeHost();
    const { payload, headers } = processor.signEvent('{"id":"evt_1","type":"account.updated"}');
    const sent = new Headers();
    for (const [name, value = ''] of Object.entries(headers)) sent.set(name, value);
    const answer = await host.request('/processor/events', {
      method: 'POST',
      headers: sent,
      body: payload,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ outcome: 'ignored' });
  });

  it.each([
    ['a byte order mark in front', [0xef, 0xbb, 0xbf], []],
    ['bytes that are no UTF-8', [], [0xff]],
  ])('rejects one with %s: the signature covers its bytes', async (_, front, end) => {
    const { host, processor } = makeHost();
    // A lenient parser would read the last byte as the signed one.
    const text = `{"id":"evt_1","type":"account.updated"}${end.length > 0 ? ' \ufffd' : ''}`;
    const { payload, headers } = processor.signEvent(text);
    const bytes = new TextEncoder().encode(payload.replace('\ufffd', ''));
    const answer = await host.request('/processor/events', {
      method: 'POST',
      headers: new Headers(Object.entries(headers).map(([name, value = '']) => [name, value])),
      body: new Uint8Array([...front, ...bytes, ...end]),
    });
    expect(answer.status).toBe(400);
  });

  it.each([
    [undefined, undefined],
    ['https://api.example', 'https://api.example/processor/events#abc'],
  ])('rejects an unsigned or oversized message, and another method: %s', async (url, instance) => {
    const { host } = makeHost(undefined, url);
    const headers = { 'x-request-id': 'abc' };
    const post = (body: string) =>
      host.request('/processor/events', { method: 'POST', headers, body });
    const answers = {
      400: await post('{}'),
      413: await post('x'.repeat(1024 * 1024 + 1)),
      405: await host.request('/processor/events', { headers }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status));
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(v.parse(problemSchema, await answer.json()).instance).toBe(instance);
    }
    expect(answers[405].headers.get('allow')).toBe('POST');
  });

  it('tells the observer the request id', async () => {
    const seen: (string | undefined)[] = [];
    const { host } = makeHost(({ requestId }) => seen.push(requestId));
    await host.request('/processor/events', {
      method: 'POST',
      headers: { 'x-request-id': 'abc' },
      body: '{}',
    });
    expect(new Set(seen)).toStrictEqual(new Set(['abc']));
  });

  it('tells the observer why a message that may be ours was ignored', async () => {
    const seen: Observation[] = [];
    const { host, processor } = makeHost((one) => seen.push(one));
    processor.parseEvent = () => okAsync({ id: 'evt_1', kind: 'ignored', why: 'noAccount' });
    const answer = await host.request('/processor/events', { method: 'POST', body: '{}' });
    expect(answer.status).toBe(200);
    const [failure] = seen.filter(({ kind }) => kind === 'failure');
    expect(failure).toMatchObject({
      name: 'parseEvent',
      outcome: 'noAccount',
      reference: 'evt_1',
    });
  });

  it('returns a problem if a port throws', async () => {
    const { host, clock } = makeHost();
    Object.assign(clock, {
      now: () => {
        throw new Error('the clock is broken');
      },
    });
    const answer = await host.request('/processor/events', { method: 'POST', body: '{}' });
    expect(answer.status).toBe(500);
  });
});

const auth = { subject: 'user-ada', barberId: 'ada' };

/** A payment that was declined, authorized, captured and refunded before any message arrived. */
async function unheard() {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const store = createMapStore();
  const chairside = createChairside({ clock, processor, store, rateLimits: 'off' });
  const processorAccount = { id: 'acct', currency: 'eur' };
  const put = await chairside.records.putBusiness({ id: 'shop', name: 'Shop', processorAccount });
  expect(put.isOk()).toBe(true);
  const appointmentId = await givenAppointment({ chairside }, { id: 'appointment' });
  const opening = { appointmentId, idempotencyKey: 'key' };
  const { id, clientSecret } = (
    await chairside.createContactlessPayment(auth, opening)
  )._unsafeUnwrap();
  for (const card of ['declined', 'visa_credit'] as const) {
    expect(processor.presentCard(clientSecret, card).isOk()).toBe(true);
  }
  const captured = await processor.capturePayment({
    account: 'acct',
    paymentId: id,
    installation: 'chairside',
    begunAt: clock.now(),
    amountMinor: 4500n,
    currency: 'eur',
    idempotencyKey: 'captured-elsewhere',
  });
  const { reference = '' } = captured._unsafeUnwrap();
  expect(processor.refund(reference, 500n).isOk()).toBe(true);
  return { id, chairside, store, messages: processor.takeEvents()._unsafeUnwrap() };
}

/** The final state after a log of messages. */
async function endOf(order: (messages: readonly RawEvent[]) => readonly RawEvent[]) {
  const { id, chairside, store, messages } = await unheard();
  for (const message of order(messages)) {
    expect((await chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
  }
  const told: string[] = [];
  const delivered = await chairside.events.deliver(async ({ type }) => {
    told.push(type.replace('contactlessPayment.', ''));
  });
  expect(delivered.isOk()).toBe(true);
  const payment = (await store.payments.get(id))._unsafeUnwrap();
  const ledger = (await store.ledgers.get('appointment'))._unsafeUnwrap();
  return { state: payment?.state, ledger, told: told.toSorted() };
}

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((one, index) =>
    permutations(of.toSpliced(index, 1)).map((others) => [one, ...others]),
  );
}

it('the messages of the processor lead to one state, in every order and any number', async () => {
  const { messages } = await unheard();
  const orders = permutations([...messages.keys()]);
  expect(orders.length).toBe(120);
  const expected = {
    state: 'captured',
    ledger: {
      appointmentId: 'appointment',
      capturedMinor: 4500n,
      reservedMinor: 0n,
      openPayments: 0,
      currency: 'eur',
    },
    told: ['authorized', 'captured', 'created', 'refunded'],
  };
  for (const order of orders) {
    const pick = (log: readonly RawEvent[]) => order.flatMap((index) => log[index] ?? []);
    expect(await endOf(pick)).toEqual(expected);
    // Each of them twice, the second time after all others.
    expect(await endOf((log) => [...pick(log), ...log])).toEqual(expected);
  }
  console.log(`${2 * orders.length} logs`);
});
