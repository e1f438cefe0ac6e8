import { createHmac } from 'node:crypto';
import type { RawEvent } from '@chairside/core';

/** Signs a message as Stripe does: over its time and its exact bytes. */
export function signPayload(payload: string, webhookSecret: string, at: number): RawEvent {
  const time = Math.floor(at / 1000);
  const signature = createHmac('sha256', webhookSecret).update(`${time}.${payload}`).digest('hex');
  return { payload, headers: { 'stripe-signature': `t=${time},v1=${signature}` } };
}
