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
    asked.on('error', (error) => resolve({ why: reasonOf(error) }));
    // A change of the protocol (101) ends the connection without a response and without an error.
    asked.on('close', () => resolve({ why: 'unreachable' }));
    asked.end(body);
  });
}

function reasonOf(error: Error): WebhookFailure['why'] {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'timeout';
  return 'code' in error && error.code === privateAddress ? 'privateAddress' : 'unreachable';
}
