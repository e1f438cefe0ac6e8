import { randomUUID } from 'node:crypto';

/** A request as bytes for a socket, with a check of its response. */
export interface Request {
  readonly text: string;
  readonly status: number;
  /** The response must contain this text. */
  readonly holds: string;
  /** The same connection captures the opened payment next. */
  readonly isCaptured?: boolean;
}

export const amount = '45.00';
export const amountMinor = 4500;
/** The token of the only caller. */
export const token = 'ada';

export function get(path: string, holds: string): Request {
  return { text: head('GET', path), status: 200, holds };
}

export function post(path: string, body: unknown, holds: string, key?: string): Request {
  const json = JSON.stringify(body);
  const text = head(
    'POST',
    path,
    ...(key === undefined ? [] : [`idempotency-key: ${key}`]),
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(json)}`,
  );
  return { text: text + json, status: 200, holds };
}

function head(method: string, path: string, ...headers: readonly string[]): string {
  const first = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${token}`];
  return `${[...first, ...headers].join('\r\n')}\r\n\r\n`;
}

export const paymentsPath = (appointmentId: string) =>
  `/appointments/${appointmentId}/contactlessPayments`;

/** Keys come in random order. */
export function createRequest(
  appointmentId: string,
  { key = randomUUID(), holds = `${appointmentId}"` } = {},
): Request {
  return { ...post(paymentsPath(appointmentId), { amount }, holds, key), status: 201 };
}

export function captureBody(reference: string) {
  return {
    externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' as const },
  };
}

export function captureRequest(paymentId: string, reference: string): Request {
  const path = `/contactlessPayments/${paymentId}/captured`;
  return post(path, captureBody(reference), '"state":"captured"', randomUUID());
}

/** Client secrets of the fake processor begin with the reference. */
const opened = /"id":"(cpm_[\w-]+)".*"clientSecret":"(.+?)_secret_/;

/** The capture of the payment that a create opened; `undefined` if it opened no payment. */
export function captureAfter(created: string): Request | undefined {
  const [, id, reference] = opened.exec(created) ?? [];
  return id === undefined || reference === undefined ? undefined : captureRequest(id, reference);
}
