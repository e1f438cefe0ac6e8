import { setTimeout as delay } from 'node:timers/promises';
import { contactlessPaymentSchema } from '@chairside/core';
import type { FakeProcessor } from '@chairside/fake-processor';
import * as v from 'valibot';

type Payment = v.InferOutput<typeof contactlessPaymentSchema>;

const patienceMs = 60_000;
/** A connection that was on its way to a node as that was killed is never answered. */
const requestTimeoutMs = 5000;
const pauseMs = 100;

/**
 * What the barber's app does: open a payment, let the card be held to the phone, capture. Whatever
 * goes wrong on the way, it sends the same request with the same key again.
 */
export async function takePayment(
  url: string,
  processor: FakeProcessor,
  appointmentId: string,
): Promise<Payment> {
  const opened = await send(
    `${url}/appointments/${appointmentId}/contactlessPayments`,
    `open ${appointmentId}`,
  );
  const presented = processor.presentCard(opened.clientSecret, 'visa_credit');
  if (presented.isErr()) throw new Error(presented.error.kind);
  const { externalPaymentReference } = presented.value;
  return send(`${url}/contactlessPayments/${opened.id}/captured`, `capture ${opened.id}`, {
    externalPaymentReference,
  });
}

async function send(url: string, key: string, body?: object): Promise<Payment> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const answer = await sendOnce(url, key, body);
    if (answer?.ok) return v.parse(contactlessPaymentSchema, await answer.json());
    const problem = await answer?.text();
    if (answer !== undefined && ![409, 503].includes(answer.status)) throw new Error(problem);
    if (performance.now() > until) throw new Error(`${key}: ${problem ?? 'no answer'}`);
    await delay(pauseMs);
  }
}

/** `undefined`: the connection broke or stays silent, and nobody knows what became of the request. */
async function sendOnce(
  url: string,
  key: string,
  body: object | undefined,
): Promise<Response | undefined> {
  try {
    return await fetch(url, {
      method: 'POST',
      signal: AbortSignal.timeout(requestTimeoutMs),
      headers: {
        authorization: 'Bearer ada',
        'idempotency-key': key,
        // A new connection for each request, so that each may reach another node.
        connection: 'close',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch {
    return undefined;
  }
}
