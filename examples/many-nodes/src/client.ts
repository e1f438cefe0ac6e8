import { setTimeout as delay } from 'node:timers/promises';
import { contactlessPaymentSchema } from '@chairside/core/ports';
import type { FakeProcessor } from '@chairside/fake-processor';
import * as v from 'valibot';

type Payment = v.InferOutput<typeof contactlessPaymentSchema>;

const patienceMs = 60_000;
/** A connection to a killed node may never get a response. */
const requestTimeoutMs = 5000;
const pauseMs = 100;

/**
 * The barber's app: opens a payment, presents a card and captures. After any failure it repeats the
 * same request with the same key.
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

/** `undefined`: the connection broke or timed out, so the outcome is unknown. */
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
