import type { AuthContext, Chairside } from '@chairside/core';
import { buildOpenApi, chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { expect } from 'vitest';
import { problemBase } from './answer.ts';
import { createContract } from './contract.ts';
import { operations, served } from './operations.ts';
import type { Send } from './send.ts';

/** The documents of a service with and without its options. */
const contracts = new Map<string, ReturnType<typeof createContract>>();

function contractWith(options: HostOptions) {
  const key = JSON.stringify(options);
  const known =
    contracts.get(key) ?? createContract(buildOpenApi({ problemBase, routes: served, ...options }));
  contracts.set(key, known);
  return known;
}

/** What the host has switched on, so that the interface has more members. */
export interface HostOptions {
  readonly tips: boolean;
  readonly shares: boolean;
}

/** Drives the HTTP interface over a real socket, and compares all messages with its document. */
export async function httpClient(
  chairside: Chairside,
  authContextOf: (person: string) => AuthContext | undefined,
  switched: HostOptions,
): Promise<{ send: Send; close: () => Promise<void> }> {
  let requests = 0;
  const newRequestId = () => {
    requests += 1;
    return `req_${requests}`;
  };
  const authenticate = authContextOf;
  const options = {
    authenticate,
    problemBase,
    newRequestId,
    refunds: true,
    receipts: true,
    charges: true,
    tenders: true,
    shares: chairside.ports.shares === true,
  };
  const app = chairsideHandler(chairside, options);
  const server = createNodeServer(app);
  const { url } = await server.listen(0, '127.0.0.1');

  const send: Send = async (name, as, { id = '', id2 = '', query, key, body } = {}) => {
    const { method, path } = operations[name];
    const filled = path
      .replace('{id}', () => encodeURIComponent(id))
      .replace('{id2}', () => encodeURIComponent(id2));
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const response = await fetch(url + filled + search, {
      method,
      headers: {
        ...(as !== 'nobody' && { authorization: `Bearer ${as}` }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    const request = { operation: name, key, body, ...(query !== undefined && { query }) };
    expect(
      contractWith(switched).faults(request, { status, headers, text }),
      `${name} ${status} ${text}`,
    ).toEqual([]);
    const retryAfter = headers.get('retry-after');
    return {
      status,
      text,
      replayed: headers.get('idempotent-replayed') === 'true',
      retryAfter: retryAfter === null ? undefined : Number(retryAfter),
    };
  };
  return { send, close: () => server.close(1000) };
}
