import { errAsync, hourMs } from '@chairside/core';
import { overWire, type WireRequest, type WrongProcessor, wrapping } from './wrong-processor.ts';

let serial = 0;
const another = () => {
  serial += 1;
  return `request ${serial}`;
};

const asksFor = ({ method, url }: WireRequest, end: string) =>
  method === 'POST' && url.pathname.endsWith(end);

/** Requests to this path have another request id. */
const keyed = (end: string, idOf: (request: WireRequest) => string) =>
  overWire((request, send) =>
    send(asksFor(request, end) ? { ...request, requestId: idOf(request) } : request),
  );

/** They use keys that are not the caller's. */
export const processorsThatMixUpKeys: readonly WrongProcessor[] = [
  {
    fault: 'opens under a new key each time',
    caughtBy: [
      'opening opens once for one key',
      'openPayment, sent again, has one effect for one key: after 19 hours',
      'opening rejects a key that was used with another amount',
      'openPayment, sent again, has one effect for one key of two instances',
    ],
    open: keyed('/orders', another),
  },
  {
    fault: 'refuses a first capture ten hours after the opening',
    caughtBy: [
      'after 19 hours an authorized payment is captured for the first time, and another one canceled',
      'capturePayment, sent again, has one effect for one key: after 19 hours',
    ],
    open: wrapping((right, tally) => ({
      capturePayment: (request) =>
        tally.now() - request.begunAt > 10 * hourMs
          ? errAsync({ kind: 'rejected', reason: 'tooOld' })
          : right.capturePayment(request),
    })),
  },
  {
    fault: 'shows a captured payment as canceled when its hold would have ended',
    caughtBy: ['keeps a captured payment captured when its hold would have ended'],
    open: wrapping((right, tally) => ({
      readPayment: (payment, claimed) =>
        right
          .readPayment(payment, claimed)
          .map((seen) =>
            seen !== undefined && tally.now() - payment.begunAt > 72 * hourMs
              ? { ...seen, status: 'canceled' }
              : seen,
          ),
    })),
  },
  {
    fault: 'refunds under a new key each time',
    caughtBy: [
      'refund, sent again, has one effect for one key: after 0 hours',
      'refunds reject a key that was used with other parameters',
      'refund, when the processor fails is unknown if it is applied and has no reply',
    ],
    open: keyed('/refunds', another),
  },
  {
    fault: 'opens setups under a new key each time',
    caughtBy: [
      'openSetup, sent again, has one effect for one key: after 0 hours',
      'openSetup, sent again, is unknown if its reply is lost, and is made once under the same key',
      'setups reject a key that was used with other parameters',
    ],
    open: keyed('/vaults', another),
  },
  {
    fault: 'opens all setups under one key',
    caughtBy: [
      'setups show the method of their own customer, if two have one',
      'setups stay open when another setup of the customer is completed or canceled',
    ],
    open: keyed('/vaults', () => 'setup'),
  },
  {
    fault: 'rejects its own capture when it is sent again',
    caughtBy: [
      'capturing returns the same capture for the same key, and rejects another key',
      'captures that end later leave the payment authorized until they end',
      'captures that end later are made again under another key once they have failed',
      'capturePayment, when the processor fails is not applied, and is then made under the same key: rateLimit',
    ],
    open: wrapping((right) => {
      const used = new Set<string>();
      return {
        capturePayment(request) {
          if (used.has(request.idempotencyKey)) {
            return errAsync({ kind: 'rejected', reason: 'alreadyCaptured' });
          }
          used.add(request.idempotencyKey);
          return right.capturePayment(request);
        },
      };
    }),
  },
];
