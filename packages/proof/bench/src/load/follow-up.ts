import { randomUUID } from 'node:crypto';
import { type Request, request } from './request.ts';

/** Client secrets of the fake processor begin with the reference. */
const opened = /"id":"(cpm_[\w-]+)".*"clientSecret":"(.+?)_secret_/;

/** The capture of the payment that a create opened; `undefined` if it opened no payment. */
export function captureAfter(created: string, token: string): Request | undefined {
  const [, id, reference] = opened.exec(created) ?? [];
  if (id === undefined || reference === undefined) return undefined;
  return request({
    path: `/contactlessPayments/${id}/captured`,
    token,
    key: randomUUID(),
    body: `{"externalPaymentReference":{"id":"${reference}","paymentProcessor":"processor_a"}}`,
    holds: '"state":"captured"',
  });
}
