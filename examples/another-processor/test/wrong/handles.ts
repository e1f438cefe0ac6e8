import { okAsync, type PaymentHandle } from '@chairside/core';
import type { Tally } from '../tally/tally.ts';
import { mistaking, refunding, type WrongProcessor, wrapping } from './wrong-processor.ts';

/** The handle of the payment with this reference, which may be another's. */
function byReference<Handle extends PaymentHandle>(tally: Tally, handle: Handle): Handle {
  const order = handle.reference === undefined ? undefined : tally.saleOf(handle.reference);
  if (order === undefined) return handle;
  return {
    ...handle,
    paymentId: order.number,
    installation: order.source,
    account: order.merchant,
  };
}

/** They touch payments of others, or show what must stay hidden. */
export const processorsThatMistake: readonly WrongProcessor[] = [
  {
    fault: 'shows any payment of a reference',
    caughtBy: 'for another installation, by reference shows no payment',
    open: wrapping((right, tally) => ({
      readPayment: (payment, claimed) => right.readPayment(byReference(tally, payment), claimed),
    })),
  },
  {
    fault: 'captures any payment of a reference',
    caughtBy: 'for another payment, by reference never reports a capture',
    open: wrapping((right, tally) => ({
      capturePayment: (request) => right.capturePayment(byReference(tally, request)),
    })),
  },
  {
    fault: 'cancels any payment of a reference',
    caughtBy: 'for a payment never opened, by reference never reports a cancelation',
    open: wrapping((right, tally) => ({
      cancelPayment: (request) => right.cancelPayment(byReference(tally, request)),
    })),
  },
  {
    fault: 'refunds any payment of a reference',
    caughtBy: 'refunds are neither made nor shown for another installation',
    open: refunding((right, tally) => ({
      refund: (request) => right.refund(byReference(tally, request)),
    })),
  },
  {
    fault: 'believes each claimed reference',
    caughtBy: 'reading rejects a reference of another payment, and an unknown one',
    open: wrapping((right) => ({ readPayment: (payment) => right.readPayment(payment) })),
  },
  {
    fault: 'calls a captured payment canceled',
    caughtBy: 'canceling is rejected for a captured payment',
    open: wrapping((right) => ({
      cancelPayment: (request) =>
        right
          .cancelPayment(request)
          .orElse(() =>
            right
              .readPayment(request)
              .map((seen) => seen && { ...seen, status: 'canceled' as const }),
          ),
    })),
  },
  {
    fault: 'leaves a payment without a card as it is',
    caughtBy: 'canceling cancels a payment before a card was presented',
    open: wrapping((right) => ({
      cancelPayment: (request) =>
        request.reference === undefined ? okAsync(undefined) : right.cancelPayment(request),
    })),
  },
  {
    fault: 'shows setups of another installation',
    caughtBy: 'setups are undefined if they were never opened, or by another installation',
    open: wrapping((right) => ({
      readSetup: (setup) => right.readSetup({ ...setup, installation: 'contract' }),
    })),
  },
  {
    fault: 'calls an account that is not set up rejected',
    caughtBy: 'opening is rejected for an account that is not set up',
    open: wrapping((right) => ({
      openPayment: (request) =>
        right
          .openPayment(request)
          .orElse(mistaking(() => ({ kind: 'rejected', reason: 'merchant_closed' }))),
    })),
  },
  {
    fault: 'says a secret in an error',
    caughtBy: 'capturing is rejected above the authorized amount',
    open: wrapping((right, tally) => ({
      capturePayment: (request) =>
        right.capturePayment(request).orElse(
          mistaking(() => ({
            kind: 'rejected',
            reason: `refused: ${tally.saleOf(request.reference ?? '')?.token}`,
          })),
        ),
    })),
  },
  {
    fault: 'shows whole card numbers',
    caughtBy: 'presenting a card authorizes the payment and shows the card',
    open: wrapping((right) => ({
      readPayment: (payment, claimed) =>
        right.readPayment(payment, claimed).map(
          (seen) =>
            seen && {
              ...seen,
              ...(seen.card && {
                card: { ...seen.card, maskedPersonalAccountNumber: '4242424242424242' },
              }),
            },
        ),
    })),
  },
  {
    fault: 'hands out a terminal token twice',
    caughtBy: 'connection tokens are new for each call',
    open: wrapping((right) => ({
      createConnectionToken: (request) =>
        right
          .createConnectionToken(request)
          .map(() => ({ clientSecret: `token of ${request.account}` })),
    })),
  },
  {
    fault: 'makes terminal tokens for any location',
    caughtBy: 'connection tokens are rejected for a location that the processor does not accept',
    open: wrapping((right) => ({
      createConnectionToken: ({ account }) => right.createConnectionToken({ account }),
    })),
  },
];
