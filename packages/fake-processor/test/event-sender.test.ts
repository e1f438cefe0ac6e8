import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type EpochMs, minuteMs, secondMs } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import { signatureHeader } from '@chairside/fake-processor';
import {
  createEventSender,
  type EventSenderOptions,
  sendLate,
  sendOutOfOrder,
  sendTwice,
} from '@chairside/fake-processor/event-sender';
import { describe, expect, it } from 'vitest';
import { capturePayment, openPayment, problem, setUp, startAt, told, value } from './helpers.ts';

const url = 'http://127.0.0.1:9/events';
const all = ['payment.opened', 'payment.authorized', 'payment.captured'];

/**
 * A receiver that responds with these statuses, in turn, and then with 204; 0 means no response.
 */
async function setUpSender(
  options: Partial<EventSenderOptions> = {},
  statuses: readonly number[] = [],
) {
  const { fake, clock } = setUp();
  await capturePayment(fake);
  const received: RawEvent[] = [];
  const fetch: typeof globalThis.fetch = async (to, init) => {
    expect([to, init?.method]).toEqual([url, 'POST']);
    const status = statuses[received.length] ?? 204;
    const headers = Object.fromEntries(new Headers(init?.headers));
    received.push({ payload: String(init?.body), headers });
    if (status === 0) throw new TypeError('fetch failed');
    return new Response(null, { status });
  };
  const sender = createEventSender({ fake, url, clock, fetch, ...options });
  const types = () => told(received).map(({ type }) => type);
  return { fake, clock, sender, received, types };
}

describe('the event sender', () => {
  it('posts pending events, in order and once, each as it was signed', async () => {
    const { fake, sender, received, types } = await setUpSender();
    const report = value(await sender.send());
    expect(report).toEqual({ posted: 3, accepted: 3, givenUp: 0, waiting: 0 });
    expect(types()).toEqual(all);
    for (const event of received) {
      expect(event.headers['content-type']).toBe('application/json');
      value(await fake.parseEvent(event, startAt));
    }
    expect(value(await sender.send())).toEqual({ posted: 0, accepted: 0, givenUp: 0, waiting: 0 });
    expect(value(fake.pendingEvents())).toEqual([]);
  });

  it('posts over a real socket', async () => {
    const { fake, clock } = await setUpSender();
    const seen: { headers: IncomingHttpHeaders; payload: string }[] = [];
    const server = createServer(async (request, response) => {
      const { headers } = request;
      seen.push({ headers, payload: Buffer.concat(await request.toArray()).toString() });
      response.end('thank you');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const to = `http://127.0.0.1:${address.port}/events`;
    const sender = createEventSender({ fake, url: to, clock });
    expect(value(await sender.send())).toMatchObject({ posted: 3, accepted: 3 });
    const headers = { [signatureHeader]: String(seen[0]?.headers[signatureHeader]) };
    value(await fake.parseEvent({ payload: seen[0]?.payload ?? '', headers }, startAt));
    await new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
    // Now the port is closed.
    value(fake.refund(fake.entries()[0]?.id ?? '', 1n));
    expect(value(await sender.send())).toMatchObject({ posted: 1, accepted: 0, waiting: 1 });
  });

  it('repeats rejected events, with a new signature', async () => {
    const { fake, clock, sender, received, types } = await setUpSender({}, [204, 400, 302]);
    expect(value(await sender.send())).toEqual({ posted: 3, accepted: 1, givenUp: 0, waiting: 2 });
    clock.advance(10 * minuteMs);
    expect(value(await sender.send())).toEqual({ posted: 2, accepted: 2, givenUp: 0, waiting: 0 });
    expect(types()).toEqual([...all, ...all.slice(1)]);
    const last = received.at(-1) ?? { payload: '', headers: {} };
    value(await fake.parseEvent(last, clock.now()));
  });

  it('gives an event up after the maximum of attempts', async () => {
    const { sender, received } = await setUpSender({ maxAttempts: 2 }, Array(99).fill(500));
    expect(value(await sender.send())).toMatchObject({ givenUp: 0, waiting: 3 });
    expect(value(await sender.send())).toMatchObject({ givenUp: 3, waiting: 0 });
    expect(value(await sender.send())).toMatchObject({ posted: 0 });
    expect(received).toHaveLength(6);
  });

  it('leaves the rest for later without a response', async () => {
    const { sender, types } = await setUpSender({}, [204, 0]);
    expect(value(await sender.send())).toEqual({ posted: 2, accepted: 1, givenUp: 0, waiting: 2 });
    expect(value(await sender.send())).toEqual({ posted: 2, accepted: 2, givenUp: 0, waiting: 0 });
    expect(types()).toEqual([...all.slice(0, 2), ...all.slice(1)]);
  });

  it('gives up events without a response, one after the other', async () => {
    const { sender, received } = await setUpSender({}, Array(99).fill(0));
    for (let i = 0; i < 15; i += 1) value(await sender.send());
    expect(value(await sender.send())).toEqual({ posted: 0, accepted: 0, givenUp: 0, waiting: 0 });
    expect(received).toHaveLength(15);
  });

  it('sends at most one batch at a time', async () => {
    const { fake, sender } = await setUpSender({ batch: 1 }, [500]);
    expect(value(await sender.send())).toEqual({ posted: 1, accepted: 0, givenUp: 0, waiting: 1 });
    expect(value(fake.pendingEvents())).toHaveLength(2);
    expect(value(await sender.send())).toMatchObject({ posted: 1, accepted: 1, waiting: 0 });
    expect(value(await sender.send())).toMatchObject({ posted: 1, accepted: 1, waiting: 0 });
  });

  it('runs once at a time', async () => {
    const { sender, received } = await setUpSender();
    const both = await Promise.all([sender.send(), sender.send()]);
    expect(both.map(value)).toMatchObject([{ posted: 3 }, { posted: 3 }]);
    expect(received).toHaveLength(3);
    expect(value(await sender.send())).toMatchObject({ posted: 0 });
  });

  it('waits for a response up to its timeout', async () => {
    let signal: AbortSignal | null | undefined;
    const { sender } = await setUpSender({
      timeoutMs: 1,
      fetch: (_, init) => {
        signal = init?.signal;
        return new Promise((_answer, fail) => signal?.addEventListener('abort', fail));
      },
    });
    expect(value(await sender.send())).toMatchObject({ posted: 1, accepted: 0 });
    expect(signal?.aborted).toBe(true);
  });
});

describe('plans', () => {
  it('twice', async () => {
    const { sender, types } = await setUpSender({ plan: sendTwice }, [204, 500]);
    expect(value(await sender.send())).toEqual({ posted: 6, accepted: 3, givenUp: 0, waiting: 0 });
    expect(types()).toEqual(all.flatMap((type) => [type, type]));
  });

  it('out of order', async () => {
    const { sender, types } = await setUpSender({ plan: sendOutOfOrder });
    expect(value(await sender.send())).toMatchObject({ accepted: 3 });
    expect(types()).toEqual(all.toReversed());
  });

  it('late', async () => {
    const { fake, clock, sender, received } = await setUpSender({ plan: sendLate(minuteMs) });
    expect(value(await sender.send())).toMatchObject({ posted: 0, waiting: 3 });
    clock.advance(minuteMs - 1);
    await openPayment(fake, 'another');
    expect(value(await sender.send())).toMatchObject({ posted: 0, waiting: 4 });
    clock.advance(1);
    expect(value(await sender.send())).toMatchObject({ posted: 3, waiting: 1 });
    const t = Math.floor(clock.now() / secondMs);
    expect(received[0]?.headers[signatureHeader]).toContain(`t=${t},`);
  });

  it('of a test see the earlier attempts', async () => {
    const seen: (readonly [EpochMs, number, number])[] = [];
    const { clock, sender } = await setUpSender(
      {
        plan: (queue, now) => {
          seen.push(...queue.map(({ takenAt, attempts }) => [now, takenAt, attempts] as const));
          return queue.slice(0, 1);
        },
      },
      [500],
    );
    value(await sender.send());
    clock.advance(1);
    value(await sender.send());
    const first = [startAt, startAt, 0];
    const rest = [startAt + 1, startAt, 0];
    expect(seen).toEqual([first, first, first, [startAt + 1, startAt, 1], rest, rest]);
  });
});

describe('the sender never', () => {
  it('throws, when the plan or the storage does', async () => {
    const { sender } = await setUpSender({
      plan: () => {
        throw new Error('no plan');
      },
    });
    expect(problem(await sender.send())).toEqual({ kind: 'planFailed' });
    expect(problem(await sender.send())).toEqual({ kind: 'planFailed' });
    const broken = () => {
      throw new Error('disk full');
    };
    const { fake } = setUp({ storage: { get: broken, list: broken, write: broken } });
    const without = await setUpSender({ fake });
    expect(problem(await without.sender.send())).toEqual({ kind: 'storageFailed' });
  });
});
