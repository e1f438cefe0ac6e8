import { problemSchema } from '@chairside/core/ports';
import { parse } from 'valibot';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chairsideHandler } from '../src/index.ts';
import { createNodeServer } from '../src/node-server.ts';
import { auth, exchangeRaw, parseRaw } from './socket.ts';
import { barber, createWorld } from './world.ts';

// The client's view of an open connection, over a real socket.

/** A server with default options, unless others are given. */
async function start(options: { readonly publicUrl?: string } = {}) {
  const { chairside } = await createWorld();
  const app = chairsideHandler(chairside, {
    authenticate: (token) => (token === 'good' ? barber : undefined),
    ...options,
  });
  const server = createNodeServer(app);
  onTestFinished(() => server.close(0));
  const { port } = await server.listen(0);
  return async (line: string, headers: readonly string[] = [], body = '') => {
    const head = [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers];
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    return parseRaw(await exchangeRaw(port, [...head, ...length, '', body].join('\r\n')));
  };
}

const device = (more: object = {}) =>
  JSON.stringify({ platform: 'ios', deviceIdentifier: 'd-1', ...more });
const problemIn = async (response: Response) => parse(problemSchema, await response.json());

describe('the media type of a body', () => {
  it.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['application/json;charset=UTF-8', 201],
    ['application/json; charset="utf-8"', 201],
    ['application/json ; charset=utf-8', 201],
    ['application/json; charset=utf-8; profile=x', 201],
    ['application/json; charset=utf-16', 415],
    ['application/json; profile=x; charset=latin1', 415],
    ['text/plain; charset=utf-8', 415],
  ])('%s gets %i', async (type, status) => {
    const send = await start();
    const response = await send('POST /terminals', [auth, `Content-Type: ${type}`], device());
    expect(response.status).toBe(status);
  });
});

describe('the addresses in a problem', () => {
  it('are the constant base and no instance by default', async () => {
    const send = await start();
    const problem = await problemIn(await send('GET /terminals/none?a=b', [auth]));
    expect(problem.type).toBe('https://chairside.example/problems/notFound');
    expect(problem).not.toHaveProperty('instance');
  });

  it('include an absolute instance if the host names its address', async () => {
    const send = await start({ publicUrl: 'https://pay.shop.example/v1' });
    const headers = [auth, 'X-Request-Id: req-1'];
    const { instance } = await problemIn(await send('GET /terminals/none?a=b', headers));
    expect(instance).toBe('https://pay.shop.example/v1/terminals/none#req-1');
  });
});

describe('two keys', () => {
  const path = 'POST /appointments/a/contactlessPayments';
  const keys = [auth, 'Idempotency-Key: k', 'Idempotency-Key: k'];

  it.each([
    ['no body', [], '', 400],
    ['another fault too', ['Content-Type: application/json'], '[', 400],
    ['a body of another type', ['Content-Type: text/plain'], '{}', 415],
  ])('prove no outcome, because neither is looked up: %s', async (_, headers, body, status) => {
    const send = await start();
    const response = await send(path, [...keys, ...headers], body);
    expect(response.status).toBe(status);
    const { recovery } = await problemIn(response);
    expect(recovery).toEqual({ outcome: 'unknown', retry: 'doNotRetry' });
  });
});

describe('the headers of a refusal', () => {
  it.each([
    ['no token', [], 'Bearer realm="chairside"'],
    [
      'a bad token',
      ['Authorization: Bearer bad'],
      'Bearer realm="chairside", error="invalid_token"',
    ],
  ] as const)('name the realm, and the error of a token: %s', async (_, headers, expected) => {
    const send = await start();
    const response = await send('GET /terminals', headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(expected);
  });

  it('say which coding is accepted', async () => {
    const send = await start();
    const headers = [auth, 'Content-Type: application/json', 'Content-Encoding: gzip'];
    const response = await send('POST /terminals', headers, device());
    expect(response.status).toBe(415);
    expect(response.headers.get('accept-encoding')).toBe('identity');
    expect((await problemIn(response)).detail).toContain('Content-Encoding');
  });
});

describe('the registration of a real phone', () => {
  const json = [auth, 'Content-Type: application/json'];

  it.each([
    { deviceModel: 'iPhone', osVersion: 'iOS 17.1' },
    { deviceModel: 'iPhone 14 Pro', osVersion: '17.1.2' },
    { deviceModel: 'arm64', osVersion: '18.0', terminalSdkVersion: 'unreleased' },
    { platform: 'android', osVersion: 'Android 14', terminalSdkVersion: '5.0.0' },
  ])('is accepted: %o', async (phone) => {
    const send = await start();
    expect((await send('POST /terminals', json, device(phone))).status).toBe(201);
  });

  it.each([
    [{ deviceModel: 'iPad14,1' }, 'contactlessPaymentDeviceUnsupported'],
    [{ deviceModel: 'iPhone10,1' }, 'contactlessPaymentDeviceUnsupported'],
    [{ osVersion: 'iOS 16.6' }, 'contactlessPaymentDeviceUnsupported'],
    [{ osVersion: 'the newest' }, 'unprocessableEntity'],
  ])('is refused with its reason: %o', async (phone, type) => {
    const send = await start();
    const response = await send('POST /terminals', json, device(phone));
    expect(response.status).toBe(422);
    const problem = await problemIn(response);
    expect(problem.type.endsWith(`/problems/${type}`)).toBe(true);
  });
});
