import { createHmac } from 'node:crypto';
import { type EpochMs, secondMs } from '@chairside/core';

/**
 * The headers that identify and sign one delivery, as Standard Webhooks 1.0 has them.
 * @param keys each adds a signature, so that a receiver can know either of two.
 */
export function signedHeaders(
  keys: readonly Buffer[],
  id: string,
  now: EpochMs,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = `${Math.floor(now / secondMs)}`;
  const sign = (key: Buffer) =>
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map(sign).join(' '),
  };
}
