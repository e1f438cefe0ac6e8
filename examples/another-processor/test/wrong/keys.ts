import { errAsync, hourMs, okAsync } from '@chairside/core';
import {
  overWire,
  refunding,
  type WireRequest,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

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
    caughtBy: 'opening opens once for one key',
    open: keyed('/orders', another),
  },
  {
    fault: 'reuses the key of an opening after a failure',
    caughtBy:
      'openPayment, when the processor fails is unknown and answered, and is made under another key',
    open: keyed('/orders', ({ body }) => `order ${body?.['number']}`),
  },
  {
    fault: 'forgets the key of an opening after ten hours',
    caughtBy: 'after 19 hours a payment is opened once for one key',
    open: overWire((request, send, tally) => {
      const period = Math.floor(tally.now() / (10 * hourMs));
      const requestId = `${request.requestId}:${period}`;
      return send(asksFor(request, '/orders') ? { ...request, requestId } : request);
    }),
  },
  {
    fault: 'refuses a first capture ten hours after the opening',
    caughtBy:
      'after 19 hours an authorized payment is captured for the first time, and another one canceled',
    open: wrapping((right, tally) => ({
      capturePayment: (request) =>
        tally.now() - request.begunAt > 10 * hourMs
          ? errAsync({ kind: 'rejected', reason: 'tooOld' })
          : right.capturePayment(request),
    })),
  },
  {
    fault: 'shows a captured payment as canceled when its hold would have ended',
    caughtBy: 'keeps a captured payment captured when its hold would have ended',
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
    fault: 'answers a reused key of an opening with what is there',
    caughtBy: 'opening rejects a key that was used with other parameters',
    open: wrapping((right) => ({
      openPayment: (request) =>
        right
          .openPayment(request)
          .orElse((error) =>
            right
              .readPayment(request)
              .andThen((seen) => (seen === undefined ? errAsync(error) : okAsync(seen))),
          ),
    })),
  },
  {
    fault: 'refunds under a new key each time',
    caughtBy: 'refunds have one effect for each key',
    open: keyed('/refunds', another),
  },
  {
    fault: 'refunds under one key for each payment',
    caughtBy: 'refunds are two for two keys, even if they give back the same amount',
    open: keyed('/refunds', ({ url }) => url.pathname),
  },
  {
    fault: 'reuses the key of a refund after a failure',
    caughtBy:
      'refund, when the processor fails is unknown and answered, and is made under another key',
    open: keyed('/refunds', ({ body }) => `refund ${body?.['note']}`),
  },
  {
    fault: 'takes a refund of the same amount for its own',
    caughtBy: 'refunds are two for two keys, even if they give back the same amount',
    open: refunding((right) => ({
      refund: (request) =>
        right.list(request).andThen((listed) => {
          const same = listed.find(({ amountMinor }) => amountMinor === request.amountMinor);
          return same === undefined ? right.refund(request) : okAsync(same);
        }),
    })),
  },
  {
    fault: 'answers a reused key of a refund with what is there',
    caughtBy: 'refunds reject a key that was used with other parameters',
    open: refunding((right) => ({
      refund: (request) =>
        right.refund(request).orElse((error) =>
          right.list(request).andThen((listed) => {
            const same = listed.find(({ refundId }) => refundId === request.refundId);
            return same === undefined ? errAsync(error) : okAsync(same);
          }),
        ),
    })),
  },
  {
    fault: 'opens setups under a new key each time',
    caughtBy: 'setups are opened once for one key',
    open: keyed('/vaults', another),
  },
  {
    fault: 'opens all setups under one key',
    caughtBy: 'setups are opened once for one key',
    open: keyed('/vaults', () => 'setup'),
  },
  {
    fault: 'answers a reused key of a setup with what is there',
    caughtBy: 'setups reject a key that was used with other parameters',
    open: wrapping((right) => ({
      openSetup: (request) =>
        right
          .openSetup(request)
          .orElse((error) =>
            right
              .readSetup(request)
              .andThen((seen) => (seen === undefined ? errAsync(error) : okAsync(seen))),
          ),
    })),
  },
  {
    fault: 'takes any capture for its own',
    caughtBy: 'capturing returns the same capture for the same key, and rejects another key',
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse((error) =>
            right
              .readPayment(request)
              .andThen((seen) => (seen?.status === 'captured' ? okAsync(seen) : errAsync(error))),
          ),
    })),
  },
  {
    fault: 'rejects its own capture when it is sent again',
    caughtBy: 'capturing returns the same capture for the same key, and rejects another key',
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
  {
    fault: 'remembers its captures for an hour',
    caughtBy: 'after 19 hours a payment is captured once for one key',
    open: wrapping((right, tally) => {
      const made = new Map<string, number>();
      return {
        capturePayment(request) {
          const at = made.get(request.idempotencyKey) ?? tally.now();
          made.set(request.idempotencyKey, at);
          return tally.now() - at > hourMs
            ? errAsync({ kind: 'rejected', reason: 'alreadyCaptured' })
            : right.capturePayment(request);
        },
      };
    }),
  },
];
