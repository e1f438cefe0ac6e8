import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hourMs, minuteMs } from '@chairside/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  authorize,
  notApplied,
  problem,
  setUp,
  setUpOverHttp,
  unknown,
  value,
} from './stand-in.ts';

/** Node publishes there before it connects a socket, and before it writes to a kept one. */
const moments = { connecting: 'net.client.socket', requesting: 'http.client.request.created' };

/** Runs once, at the next such moment. */
function atNext(moment: keyof typeof moments, act: () => void): void {
  const name = moments[moment];
  const once = () => {
    unsubscribe(name, once);
    act();
  };
  subscribe(name, once);
  onTestFinished(() => {
    unsubscribe(name, once);
  });
}

const sleepMs = 48 * hourMs;

/** A captured payment with a kept connection, and its refund. */
async function captured() {
  const set = await setUpOverHttp();
  const payment = await authorize(set);
  value(await set.stripe.capturePayment(payment));
  const refund = {
    ...payment,
    refundId: 'rfd_1',
    amountMinor: 1000n,
    idempotencyKey: 'refund_1',
    returnsFee: false,
    reversesTransfer: false,
  };
  const count = (route: string) =>
    set.standIn.requests.filter((request) => request.route === route).length;
  return { ...set, payment, refund, count };
}

describe('a request that a sleep of the machine delays', () => {
  it('is not sent on a connection that was being opened', async () => {
    const { stripe, standIn, clock, charge } = await setUpOverHttp();
    atNext('connecting', () => clock.advance(sleepMs));
    expect(problem(await stripe.openPayment(charge))).toEqual(notApplied);
    expect(standIn.requests).toEqual([]);
  });

  it('is not sent on a kept connection', async () => {
    const { stripe, clock, refund, count } = await captured();
    // The intent is read before the refund.
    atNext('requesting', () => atNext('requesting', () => clock.advance(sleepMs)));
    expect(problem(await stripe.refunds.refund(refund))).toEqual(notApplied);
    expect(count('createRefund')).toBe(0);
  });

  it('is not sent again after its connection was closed', async () => {
    const { stripe, standIn, clock, refund, count } = await captured();
    standIn.failNext('createRefund', 'resetAfterApplying');
    atNext('connecting', () => clock.advance(sleepMs));
    expect(problem(await stripe.refunds.refund(refund))).toEqual(unknown);
    expect(count('createRefund')).toBe(1);
  });

  it('is not sent after it waited for one of the other connections', async () => {
    const held: ServerResponse[] = [];
    let arrived = () => {};
    const server = createServer((_, response) => {
      held.push(response);
      arrived();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // cast: a server that listens on a port has an address of this kind
    const { port } = server.address() as AddressInfo;
    const api = { host: '127.0.0.1', port, protocol: 'http' } as const;
    const { stripe, clock, charge } = await setUpOverHttp({ api });
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
    });
    const all = new Promise<void>((resolve) => {
      arrived = () => held.length === 64 && resolve();
    });
    const reads = Array.from({ length: 64 }, () => stripe.readPayment(charge));
    await all;
    const waiting = stripe.openPayment(charge);
    // Its request is in the queue once a later turn of the event loop has come.
    await new Promise(setImmediate);
    clock.advance(sleepMs);
    for (const response of held) response.end('{}');
    for (const read of reads) expect(problem(await read)).toEqual(unknown);
    expect(problem(await waiting)).toEqual(notApplied);
    expect(held).toHaveLength(64);
  });

  it('is sent after a pause that is short beside the life of a key', async () => {
    const { stripe, standIn, clock, charge } = await setUpOverHttp();
    atNext('connecting', () => clock.advance(hourMs - minuteMs));
    value(await stripe.openPayment(charge));
    expect(standIn.intents()).toHaveLength(1);
  });
});

describe('another HTTP client', () => {
  it.each(['ECONNRESET', 'EPIPE'])('is not asked again after %s', async (code) => {
    let requests = 0;
    const httpClient = {
      getClientName: () => 'another',
      async makeRequest() {
        requests += 1;
        throw Object.assign(new Error(code), { code });
      },
    };
    const { stripe, charge } = setUp({ httpClient });
    expect(problem(await stripe.openPayment(charge))).toEqual(unknown);
    expect(requests).toBe(1);
  });

  it('proves by its own code that a request was never sent', async () => {
    const httpClient = {
      getClientName: () => 'another',
      async makeRequest() {
        throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      },
    };
    const { stripe, charge } = setUp({ httpClient });
    expect(problem(await stripe.openPayment(charge))).toEqual(notApplied);
  });

  it.each(['"Bad Gateway"', 'true', '7', '[]', '{"message":"Bad Gateway"}'])(
    'may return %s from a proxy, with which the SDK alone would never end',
    async (text) => {
      const httpClient = {
        getClientName: () => 'another',
        makeRequest: async () => ({
          getStatusCode: () => 502,
          getHeaders: () => ({}),
          getRawResponse: () => ({}),
          toStream: () => undefined,
          toJSON: async () => JSON.parse(text),
        }),
      };
      const { stripe, charge } = setUp({ httpClient });
      expect(problem(await stripe.openPayment(charge))).toEqual(unknown);
    },
  );
});
