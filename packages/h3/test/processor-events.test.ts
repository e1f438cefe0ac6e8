import { okAsync } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import { H3 } from 'h3';
import { expect, it } from 'vitest';
import { type ProcessorEventsOptions, processorEventsHandler } from '../src/index.ts';
import { createWorld, problemBase, problemOf } from './world.ts';

/** The endpoint, with the messages that reach the core. */
async function endpoint(options: ProcessorEventsOptions = {}) {
  const { chairside } = await createWorld();
  const received: RawEvent[] = [];
  const receiveProcessorEvent: typeof chairside.receiveProcessorEvent = (message) => {
    received.push(message);
    return okAsync({ outcome: 'applied' });
  };
  const failures: unknown[] = [];
  const onFailure = (thrown: unknown) => failures.push(thrown);
  const all = { problemBase, onFailure, ...options };
  const handler = processorEventsHandler({ ...chairside, receiveProcessorEvent }, all);
  const app = new H3({ silent: true }).all('/events', handler);
  const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    app.request('/events', { method: 'POST', body, headers });
  return { app, handler, send, received, failures };
}

it('hands a message over byte for byte, with its headers', async () => {
  const { send, received } = await endpoint();
  for (const payload of ['{"id":"é"}', '\uFEFF{}', '', 'x'.repeat(1024 * 1024)]) {
    const response = await send(payload, { 'Stripe-Signature': 't=1,v1=2' });
    expect(response.status).toBe(200);
    expect(received.at(-1)).toMatchObject({
      payload,
      headers: { 'stripe-signature': 't=1,v1=2' },
    });
  }
});

it('rejects a message that is too long or not in UTF-8', async () => {
  const { send, received, failures } = await endpoint();
  await problemOf(await send('x'.repeat(1024 * 1024 + 1)), 413, 'contentTooLarge');
  const { detail } = await problemOf(await send(Uint8Array.of(0xff)), 400, 'badRequest');
  expect(detail).toBe('The message is not in UTF-8.');
  expect({ received, failures }).toEqual({ received: [], failures: [] });
});

it('reports a message that the host has read', async () => {
  const { handler, received, failures } = await endpoint();
  const host = new H3({ silent: true })
    .use(async ({ req }) => {
      await req.text();
    })
    .all('/events', handler);
  const response = await host.request('/events', { method: 'POST', body: '{}' });
  await problemOf(response, 500, 'internalError');
  expect(failures).toHaveLength(1);
  expect(String(failures)).toContain('already read the body');
  expect(received).toEqual([]);
});

it('takes POST alone, and answers although a function of the host throws', async () => {
  const { app, received } = await endpoint();
  const refused = await app.request('/events');
  const { detail } = await problemOf(refused, 405, 'methodNotAllowed');
  expect(detail).toBe('Use POST.');
  expect(refused.headers.get('allow')).toBe('POST');
  const newRequestId = () => {
    throw new Error('no ids');
  };
  const broken = await endpoint({ newRequestId });
  await problemOf(await broken.send('{}'), 500, 'internalError');
  expect(broken.failures).toEqual([new Error('no ids')]);
  expect(received).toEqual([]);
});
