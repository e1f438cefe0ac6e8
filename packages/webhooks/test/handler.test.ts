import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWebhookHandler, type WebhookFailure, type WebhookOptions } from '../src/index.ts';
import { event, listen, nextSecret, secret, startReceiver } from './receiver.ts';

/** Delivers the event to a receiver on this machine. */
async function deliver(url: string, options: Partial<WebhookOptions> = {}) {
  const failures: WebhookFailure[] = [];
  const handler = createWebhookHandler({
    url,
    secrets: [secret],
    allowPrivateAddresses: true,
    onFailure: (failure) => failures.push(failure),
    ...options,
  })._unsafeUnwrap();
  const isAccepted = await handler(event).then(
    () => true,
    () => false,
  );
  return { isAccepted, failures };
}

describe('a delivery', () => {
  it('is the CloudEvent, and its signature is known to the receiver', async () => {
    const { url, received } = await startReceiver();
    expect(await deliver(url)).toEqual({ isAccepted: true, failures: [] });
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'cpm_1/3',
    });
    expect(verify(secret, received[0])).toEqual(event);
    expect(() => new Webhook(secret).verify(`${body} `, flat(headers))).toThrow();
  });

  it('is signed with both secrets while the receiver changes over', async () => {
    const { url, received } = await startReceiver();
    await deliver(url, { secrets: [secret, nextSecret] });
    for (const known of [secret, nextSecret]) expect(verify(known, received[0])).toEqual(event);
    expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, received[0])).toThrow();
  });

  it('carries the time of the clock, so that an old request is refused', async () => {
    const { url, received } = await startReceiver();
    const clock = { now: () => Date.parse('2026-11-02T10:00:01.999Z') };
    await deliver(url, { clock });
    expect(received[0]?.headers['webhook-timestamp']).toBe('1793613601');
    expect(() => verify(secret, received[0])).toThrow('too old');
  });

  it.each([300, 301, 302, 307, 308, 400, 410, 429, 500, 503].map((status) => [status]))(
    'fails by the status %i, and no redirect is followed',
    async (status) => {
      const { url, received } = await startReceiver(status);
      const { isAccepted, failures } = await deliver(url);
      expect(isAccepted).toBe(false);
      expect(failures).toEqual([{ eventId: 'cpm_1/3', why: 'refused', status }]);
      expect(received).toHaveLength(1);
    },
  );

  it('succeeds by the first line of a response that never ends', async () => {
    const url = await listen((_request, response) => response.writeHead(200).write('{'));
    expect((await deliver(url)).isAccepted).toBe(true);
  });

  it('fails where the receiver is silent, closes the connection or is not there', async () => {
    const silent = await listen(() => undefined);
    const failure = { eventId: 'cpm_1/3' };
    expect((await deliver(silent, { timeoutMs: 100 })).failures).toEqual([
      { ...failure, why: 'timeout' },
    ]);
    const closing = await listen(({ socket }) => socket.destroy());
    expect((await deliver(closing)).failures).toEqual([
      { ...failure, why: 'broken', code: 'ECONNRESET' },
    ]);
    expect((await deliver('http://127.0.0.1:1/')).failures).toEqual([
      { ...failure, why: 'notConnected', code: 'ECONNREFUSED' },
    ]);
  });

  it('fails where the receiver switches to another protocol, which Node reports as no error', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
    const switching = await listen(({ socket }) => socket.write(head));
    expect((await deliver(switching, { timeoutMs: 1000 })).failures).toEqual([
      { eventId: 'cpm_1/3', why: 'broken' },
    ]);
  });

  it('says that the host name has no address', async () => {
    const { failures } = await deliver('https://no-such-host.invalid/');
    expect(failures).toEqual([
      { eventId: 'cpm_1/3', why: 'unknownHost', code: expect.stringMatching(/^(ENOTFOUND|EAI_)/) },
    ]);
  });

  it.each([
    [
      'speaks no TLS',
      (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      /SSL|EPROTO/,
    ],
    ['closes during the handshake', (socket: Socket) => socket.destroy(), /ECONNRESET/],
  ])('says that TLS failed where the receiver %s', async (_, answer, code) => {
    const server = createServer((socket) => answer(socket.on('error', () => {})));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // cast: a server on TCP has a port
    const { failures } = await deliver(`https://127.0.0.1:${port}/`);
    expect(failures).toEqual([
      { eventId: 'cpm_1/3', why: 'tls', code: expect.stringMatching(code) },
    ]);
  });
});

it('survives an onFailure that rejects, which would end the process', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { url } = await startReceiver(500);
  const onFailure = async () => {
    throw new Error('the chat is down');
  };
  expect((await deliver(url, { onFailure })).isAccepted).toBe(false);
  await nextTurn();
  expect(rejections).toEqual([]);
});

describe('a host name', () => {
  it('that leads to a private address is not asked', async () => {
    const { isAccepted, failures } = await deliver('https://localhost:1/', {
      allowPrivateAddresses: false,
    });
    expect(isAccepted).toBe(false);
    expect(failures).toEqual([{ eventId: 'cpm_1/3', why: 'privateAddress' }]);
  });
});

type Seen = Awaited<ReturnType<typeof startReceiver>>['received'][number];

function verify(key: string, seen: Seen | undefined): unknown {
  return new Webhook(key).verify(seen?.body ?? '', flat(seen?.headers ?? {}));
}

function flat(headers: Seen['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]));
}
