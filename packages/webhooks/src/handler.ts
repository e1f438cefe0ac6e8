import { createHmac } from 'node:crypto';
import { type EpochMs, type EventHandler, type Result, secondMs } from '@chairside/core';
import { tell } from '@chairside/core/ports';
import { checkOptions, type WebhookOptions, type WebhookOptionsError } from './options.ts';
import { post } from './post.ts';

/**
 * A handler for `chairside.events.deliver` that posts each event to one receiver. The body is the
 * CloudEvent as JSON, signed as Standard Webhooks 1.0 has it; `webhook-id` is the event's id and the
 * same in every attempt. The outbox keeps the order of a payment's events, repeats what the receiver
 * did not accept, and keeps dead letters (D26).
 *
 * @example
 * const send = createWebhookHandler({
 *   url: 'https://hooks.example/chairside',
 *   secrets: [process.env['WEBHOOK_SECRET'] ?? ''],
 * });
 * if (send.isErr()) throw new Error(send.error.message);
 * setInterval(() => chairside.events.deliver(send.value), 5_000);
 */
export function createWebhookHandler(
  options: WebhookOptions,
): Result<EventHandler, WebhookOptionsError> {
  return checkOptions(options).map((settings) => async (event) => {
    const body = JSON.stringify(event);
    const signed = signedHeaders(settings.keys, event.id, settings.clock.now(), body);
    const failure = await post(
      settings,
      { 'content-type': 'application/json', 'user-agent': 'chairside-webhooks', ...signed },
      body,
    );
    if (failure === undefined) return;
    tell(settings.onFailure, { eventId: event.id, ...failure });
    // A rejection tells the outbox to deliver the event again.
    throw new Error(`The receiver did not accept the event: ${failure.why}.`);
  });
}

/**
 * The headers that identify and sign one delivery, as Standard Webhooks 1.0 has them.
 * @param keys each adds a signature, so that a receiver can know either of two.
 */
function signedHeaders(
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
