import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { contactlessPaymentSchema, problemSchema } from '@chairside/core/ports';
import * as v from 'valibot';
import { expect } from 'vitest';

/** A host that runs: where it listens, and how it is stopped. */
export interface Host {
  readonly url: string;
  /** Asks it to stop, as a supervisor would. */
  readonly stop: () => void;
  /** Resolves to its exit code. */
  readonly exited: Promise<number | null>;
  /** Resolves once it has written a line with this text. */
  readonly says: (text: string) => Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

const login = { authorization: 'Bearer session-of-ada' };
const create = '/payments/appointments/haircut/contactlessPayments';

interface Opened {
  readonly id: string;
  readonly body: string;
  readonly clientSecret: string;
}

/** The payment of the first step, for the later steps. */
interface Said {
  opened?: Opened;
  captured?: { readonly body: string; readonly reference: string };
}

type Step = (host: Host, said: Said) => Promise<void>;

function post({ url }: Host, path: string, headers: Headers, body?: unknown): Promise<Response> {
  const type = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(url + path, {
    method: 'POST',
    headers: { ...login, connection: 'close', ...(body !== undefined && type), ...headers },
    ...sent,
  });
}

async function isProblem(response: Response, status: number, name: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { type } = v.parse(problemSchema, await response.json());
  expect(type).toBe(`https://chairside.example/problems/${name}`);
}

function openedIn({ opened }: Said): Opened {
  if (opened === undefined) throw new Error('no payment was opened');
  return opened;
}

const openKey = { 'idempotency-key': 'open-1' };
const captureKey = { 'idempotency-key': 'capture-1' };

async function capture(host: Host, said: Said): Promise<Response> {
  const { id } = openedIn(said);
  const externalPaymentReference = {
    id: said.captured?.reference,
    paymentProcessor: 'processor_a',
  };
  return post(host, `/payments/contactlessPayments/${id}/captured`, captureKey, {
    externalPaymentReference,
  });
}

/** The same black-box conversation for every host. Each step must end as it does elsewhere. */
export const conversation: Readonly<Record<string, Step>> = {
  create: async (host, said) => {
    const response = await post(host, create, openKey);
    expect(response.status).toBe(201);
    const body = await response.text();
    const { id, clientSecret } = v.parse(contactlessPaymentSchema, JSON.parse(body));
    expect(response.headers.get('location')).toBe(`/payments/contactlessPayments/${id}`);
    said.opened = { id, body, clientSecret };
  },

  tap: async (host, said) => {
    const { clientSecret } = openedIn(said);
    const response = await post(host, '/tap', {}, { clientSecret });
    const schema = v.object({ externalPaymentReference: v.object({ id: v.string() }) });
    const { externalPaymentReference } = v.parse(schema, await response.json());
    said.captured = { body: '', reference: externalPaymentReference.id };
  },

  capture: async (host, said) => {
    const response = await capture(host, said);
    const body = await response.text();
    expect(response.status).toBe(200);
    expect(v.parse(contactlessPaymentSchema, JSON.parse(body)).state).toBe('captured');
    said.captured = { body, reference: said.captured?.reference ?? '' };
  },

  replay: async (host, said) => {
    const again = await post(host, create, openKey);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(openedIn(said).body);
    const captured = await capture(host, said);
    expect(captured.headers.get('idempotent-replayed')).toBe('true');
    expect(await captured.text()).toBe(said.captured?.body);
  },

  'an error': async (host) => {
    const paid = await post(host, create, { 'idempotency-key': 'open-2' });
    await isProblem(paid, 409, 'appointmentAlreadyPaid');
    const anonymous = await post(host, create, { authorization: '' });
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer');
    await isProblem(anonymous, 401, 'unauthorized');
  },

  'another method': async ({ url }) => {
    for (const method of ['PATCH', 'OPTIONS']) {
      const response = await fetch(`${url}/payments/terminals`, { method, headers: login });
      expect(response.headers.get('allow')).toContain('POST');
      await isProblem(response, 405, 'methodNotAllowed');
    }
    const head = await fetch(`${url}/payments/terminals`, { method: 'HEAD', headers: login });
    expect(head.headers.get('content-type')).toBe('application/json');
  },

  '`%zz`': async ({ url }) => {
    const response = await fetch(`${url}/payments/terminals/%zz`, { headers: login });
    await isProblem(response, 400, 'badRequest');
  },

  '2 MB': async ({ url }) => {
    // The response comes before the whole body is sent, and nobody reads the rest.
    const headers = { ...login, 'content-type': 'application/json', 'content-length': 2_000_000 };
    const request = httpRequest(`${url}/payments/terminals`, {
      method: 'POST',
      headers,
      agent: false,
    });
    request.write(Buffer.alloc(20_000, ' '));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(413);
    request.on('error', () => {}).destroy();
  },

  'the prefix': async ({ url }) => {
    expect(await (await fetch(url)).text()).toBe('Marlow & Sons, barbers');
    await isProblem(await fetch(`${url}/payments/nothing`, { headers: login }), 404, 'notFound');
    expect((await fetch(`${url}/terminals`, { headers: login })).status).toBe(404);
  },

  shutdown: async (host) => {
    const slow = { authorization: 'Bearer slow-session-of-ada' };
    const under = fetch(`${host.url}/payments/terminals`, {
      headers: { ...slow, connection: 'close' },
    });
    await host.says('a slow login');
    host.stop();
    const response = await under;
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ items: [], count: 0 });
    // 143 is how some servers tell that SIGTERM stopped them.
    expect([0, 143]).toContain(await host.exited);
  },
};
