import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Call } from './load.ts';

/** The token of the only caller. */
export const token = 'ada';

/** A request as bytes for a socket, of its method and path. */
function toHttp(path: string, body?: unknown): string {
  const head = `${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const json = JSON.stringify(body);
  const about = `content-type: application/json\r\ncontent-length: ${json.length}`;
  return `${head}idempotency-key: ${randomUUID()}\r\n${about}\r\n\r\n${json}`;
}

/** In minor units. They tell the simulated processor, in any process, which of its calls is slow. */
export const amounts = { usual: 4500, slowOpen: 4501, slowCapture: 4502 };
const slowBy = 10;

/** The time of all threads. */
export const now = () => performance.timeOrigin + performance.now();

/** Waits as long as a call to the processor takes. A timer would be up to a millisecond off. */
export function createWait(latencyMs: number) {
  if (latencyMs === 0) return async () => {}; // costs no turn
  const [thread, ended] = [
    new Worker(new URL('clockwork.ts', import.meta.url)),
    new EventEmitter(),
  ];
  thread.on('message', (due) => ended.emit(`${due}`)).unref();
  return async (isSlow?: boolean) => {
    const due = now() + latencyMs * (isSlow ? slowBy : 1);
    thread.postMessage(due);
    await new Promise<void>((resolve) => ended.once(`${due}`, resolve));
  };
}

export const appointment = (number: number) => `appointment-${number}`;
const paymentsOf = (appointmentId: string) => `/appointments/${appointmentId}/contactlessPayments`;

export function createCall(appointmentId: string, next: Call['next'], minor = amounts.usual): Call {
  const text = toHttp(`POST ${paymentsOf(appointmentId)}`, { amount: (minor / 100).toFixed(2) });
  return { operation: 'create', text, status: 201, ...(next && { next }) };
}

/** What the calls after a create need of its response. Client secrets begin with the reference. */
const opened = /"id":"(cpm_[\w-]+)".*"clientSecret":"(.+?)_secret_/;
const openedIn = (created: string) => opened.exec(created)?.slice(1) ?? [];

export function captureCall(created: string): Call {
  const [id, reference] = openedIn(created);
  const body = { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
  const text = toHttp(`POST /contactlessPayments/${id}/captured`, body);
  return { operation: 'capture', text, status: 200 };
}

export function listCall(appointmentId: string): Call {
  return { operation: 'list', text: toHttp(`GET ${paymentsOf(appointmentId)}`), status: 200 };
}

/** The card takes up to a second; the app reads a moment later. */
const [cardMs, readMs] = [1000, 200];

/**
 * A create, the card, the capture, a get, and at every fifth visit a list.
 * @param processor how long its calls take. A capture reads there first.
 * @param read what is read in the end; by default the payment itself.
 */
export function visit(
  number: number,
  appointmentId: string,
  processor: { readonly latencyMs: number },
  read?: () => { readonly id: string; readonly appointmentId: string },
): Call {
  const { usual, slowOpen, slowCapture } = amounts;
  const { latencyMs } = processor;
  const minor = number % 100 === 33 ? slowOpen : number % 100 === 66 ? slowCapture : usual;
  const msOf = (slow: number) => latencyMs * (minor === slow ? slowBy : 1);
  const processorMs = latencyMs + msOf(slowCapture);
  const afterCreate = (created: string): Call => {
    const about = read?.() ?? { id: openedIn(created)[0], appointmentId };
    const list = { ...listCall(about.appointmentId), afterMs: readMs };
    const text = toHttp(`GET /contactlessPayments/${about.id}`);
    const next = () => (number % 5 === 0 ? list : undefined);
    const get: Call = { operation: 'get', text, status: 200, afterMs: readMs, next };
    return { ...captureCall(created), afterMs: cardMs, processorMs, next: () => get };
  };
  return { ...createCall(appointmentId, afterCreate, minor), processorMs: msOf(slowOpen) };
}

export const shared = 1000; // appointments of all visits
/** Draws the number of one: each as likely as any other, or by Zipf's law. */
export const draw = (law: 'even' | 'zipf') =>
  law === 'even' ? Math.floor(Math.random() * shared) : Math.floor(shared ** Math.random()) - 1;
