import { createChairside, type Observer, problemSchema } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { processorEventsHandler } from '@chairside/h3';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { H3 } from 'h3';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

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
      413: await post('x'.repeat(256 * 1024 + 1)),
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
