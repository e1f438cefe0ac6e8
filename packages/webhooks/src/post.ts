import { request as requestPlain } from 'node:http';
import { request } from 'node:https';
import { lookupPublic, privateAddress } from './addresses.ts';
import type { WebhookFailure } from './failure.ts';
import type { Settings } from './options.ts';

/**
 * Posts one body. Any status from 200 to 299 accepts it; the response's body is not read.
 * @returns why the receiver did not accept it; undefined if it did.
 */
export function post(
  { url, timeoutMs, allowPrivateAddresses }: Settings,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Omit<WebhookFailure, 'eventId'> | undefined> {
  const send = url.protocol === 'https:' ? request : requestPlain;
  return new Promise((resolve) => {
    const asked = send(url, {
      method: 'POST',
      // One connection for each delivery: a connection that is kept may be stale.
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutMs),
      ...(!allowPrivateAddresses && { lookup: lookupPublic }),
    });
    asked.on('response', ({ statusCode: status = 0 }) => {
      resolve(status >= 200 && status < 300 ? undefined : { why: 'refused', status });
      asked.destroy();
    });
    let way: Way = 'notConnected';
    asked.on('socket', (socket) => {
      socket.once('connect', () => {
        way = url.protocol === 'https:' ? 'tls' : 'broken';
      });
      socket.once('secureConnect', () => {
        way = 'broken';
      });
    });
    asked.on('error', (error) => resolve(failureOf(error, way)));
    // A change of the protocol (101) ends the connection without a response and without an error.
    asked.on('close', () => resolve({ why: 'broken' }));
    asked.end(body);
  });
}

/** What an error means, by how far the connection came. */
type Way = 'notConnected' | 'tls' | 'broken';

function failureOf(error: Error, way: Way): Omit<WebhookFailure, 'eventId'> {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return { why: 'timeout' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === privateAddress) return { why: 'privateAddress' };
  const isLookUp = 'syscall' in error && error.syscall === 'getaddrinfo';
  return { why: isLookUp ? 'unknownHost' : way, ...(code !== undefined && { code }) };
}
