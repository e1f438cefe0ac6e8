import { setTimeout as delay } from 'node:timers/promises';
import { problemSchema } from '@chairside/core/ports';
import * as v from 'valibot';
import type { Answer, Exchange } from './log.ts';
import { ada, manager } from './shop.ts';

interface Ask {
  readonly operation: Exchange['operation'];
  readonly key: string;
  readonly appointmentId: string;
  readonly paymentId?: string;
  readonly reference?: string;
  /** The amount of a refund. */
  readonly amount?: string;
}

interface SendOptions {
  /** Never repeats a request after a broken connection, like a person who walks away. */
  readonly givesUp: boolean;
}

/** A client: it keeps a log, and repeats requests without a response. */
export interface Client {
  readonly log: readonly Exchange[];
  /** Sets the running servers; without any, all clients wait for the next one. */
  connectTo(urls: readonly string[]): void;
  /** Called for each sent request, and for each response. */
  onMove: (move: 'sent' | 'answered') => void;
  /** Resolves when no request is running: await it while there is no server. */
  idle(): Promise<void>;
  /** Returns the final response; `undefined` if it gave up. */
  send(ask: Ask, options?: SendOptions): Promise<Answer | undefined>;
}

const maxTries = 2000;
const retryDelayMs = 20;

export function createClient(): Client {
  const log: Exchange[] = [];
  let underWay = 0;
  let urls: readonly string[] = [];
  let moments = 0;
  const waitingForServer: (() => void)[] = [];
  const waitingForIdle: (() => void)[] = [];

  const client: Client = {
    log,
    onMove: () => undefined,
    connectTo(next) {
      urls = next;
      if (urls.length === 0) return;
      for (const goOn of waitingForServer.splice(0)) goOn();
    },
    async idle() {
      if (underWay > 0) {
        await new Promise<void>((resolve) => waitingForIdle.push(resolve));
      }
    },
    send,
  };
  return client;

  async function send(ask: Ask, { givesUp } = { givesUp: false }): Promise<Answer | undefined> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const answer = await sendOnce(ask);
      if (answer === undefined && givesUp) return undefined;
      if (answer !== undefined && answer.retry !== 'retrySameRequestAfterDelay') return answer;
      await delay(retryDelayMs);
    }
    throw new Error(`${ask.key} was sent ${maxTries} times, and is not over`);
  }

  async function sendOnce(ask: Ask): Promise<Answer | undefined> {
    while (urls.length === 0) {
      await new Promise<void>((resolve) => waitingForServer.push(resolve));
    }
    const from = ++moments;
    // In turn, as a load balancer does.
    const url = urls[from % urls.length] ?? '';
    underWay += 1;
    const answering = answerTo(url, ask);
    client.onMove('sent');
    const end = await answering;
    underWay -= 1;
    if (underWay === 0) for (const goOn of waitingForIdle.splice(0)) goOn();
    // No server received it, so it does not count.
    if (end === 'unsent') return { status: 0, text: '', retry: 'retrySameRequestAfterDelay' };
    const answer = end === 'lost' ? undefined : end;
    const { operation, key, appointmentId, paymentId, amount } = ask;
    log.push({
      operation,
      key,
      appointmentId,
      ...(paymentId !== undefined && { paymentId }),
      ...(amount !== undefined && { amount: Math.round(Number(amount) * 100) }),
      from,
      to: ++moments,
      ...(answer !== undefined && { answer }),
    });
    if (answer !== undefined) client.onMove('answered');
    return answer;
  }
}

/** `unsent`: the server no longer listens. `lost`: the connection broke during the request. */
type End = Answer | 'unsent' | 'lost';

function pathOf({ operation, appointmentId, paymentId }: Ask): string {
  switch (operation) {
    case 'create':
      return `/appointments/${appointmentId}/contactlessPayments`;
    case 'capture':
      return `/contactlessPayments/${paymentId}/captured`;
    case 'refund':
      return `/contactlessPayments/${paymentId}/refunds`;
  }
}

function bodyOf({ operation, reference, amount }: Ask): unknown {
  if (operation === 'create') return undefined;
  return operation === 'refund'
    ? { amount }
    : { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
}

async function answerTo(url: string, ask: Ask): Promise<End> {
  const { operation, key } = ask;
  const path = pathOf(ask);
  const body = bodyOf(ask);
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${operation === 'refund' ? manager.subject : ada.subject}`,
        'idempotency-key': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status } = response;
    const text = await response.text();
    if (status < 300) return { status, text };
    const { recovery } = v.parse(problemSchema, JSON.parse(text));
    return { status, text, ...recovery };
  } catch (thrown) {
    // Any other error is a wrong response, not a lost one.
    if (!(thrown instanceof TypeError)) throw thrown;
    const { cause } = thrown;
    const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
    return isRefused ? 'unsent' : 'lost';
  }
}
