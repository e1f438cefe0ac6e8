import { okAsync } from '@chairside/core';
import type { PaymentHandle } from '@chairside/core/ports';
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
    caughtBy: ['for another installation, by reference shows no payment'],
    open: wrapping((right, tally) => ({
      readPayment: (payment, claimed) => right.readPayment(byReference(tally, payment), claimed),
    })),
  },
  {
    fault: 'captures any payment of a reference',
    caughtBy: ['for another payment, by reference never reports a capture'],
    open: wrapping((right, tally) => ({
      capturePayment: (request) => right.capturePayment(byReference(tally, request)),
    })),
  },
  {
    fault: 'cancels any payment of a reference',
    caughtBy: ['for a payment never opened, by reference never reports a cancelation'],
    open: wrapping((right, tally) => ({
      cancelPayment: (request) => right.cancelPayment(byReference(tally, request)),
    })),
  },
  {
    fault: 'leaves a payment without a card as it is',
    caughtBy: [
      'canceling returns a canceled payment again under any key: without a card',
      'cancelPayment, when the processor fails is not judged by a second read that the processor limits',
      'cancelPayment, when the processor fails is not judged by a read that has no answer: fail',
    ],
    open: wrapping((right) => ({
      cancelPayment: (request) =>
        request.reference === undefined ? okAsync(undefined) : right.cancelPayment(request),
    })),
  },
  {
    fault: 'shows setups of another installation',
    caughtBy: [
      'setups are undefined if they were never opened, or by another installation',
      'setups are not touched by the reference of another',
    ],
    open: wrapping((right) => ({
      readSetup: (setup) => right.readSetup({ ...setup, installation: 'contract' }),
    })),
  },
  {
    fault: 'shows the time of the read as the time when a setup was completed',
    caughtBy: ['shows when a setup was completed, if time passes before it and after it'],
    open: wrapping((right) => ({
      readSetup: (setup) =>
        right
          .readSetup(setup)
          .map((seen) => seen && { ...seen, ...(seen.at && { completedAt: seen.at }) }),
    })),
  },
  {
    fault: 'lists the refunds of the first account alone',
    caughtBy: ['refunds are listed in the books of their own account'],
    open: refunding((right, tally) => ({
      listRecent: (request) =>
        right.listRecent({ ...request, books: tally.orders[0]?.merchant ?? request.books }),
    })),
  },
  {
    fault: 'calls an account that is not set up rejected',
    caughtBy: [
      'opening is rejected for an account that is not set up',
      'opening can lose its reply',
      'openPayment, when the processor fails is unknown and answered, and is made under another key',
    ],
    open: wrapping((right) => ({
      openPayment: (request) =>
        right
          .openPayment(request)
          .orElse(mistaking(() => ({ kind: 'rejected', reason: 'merchant_closed' }))),
    })),
  },
  {
    fault: 'says a secret in an error',
    caughtBy: ['capturing is rejected above the authorized amount'],
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
    caughtBy: ['presenting a card authorizes the payment and shows the card'],
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
    caughtBy: ['connection tokens are new for each call'],
    open: wrapping((right) => ({
      createConnectionToken: (request) =>
        right
          .createConnectionToken(request)
          .map(() => ({ clientSecret: `token of ${request.account}` })),
    })),
  },
  {
    fault: 'makes terminal tokens for any location',
    caughtBy: ['connection tokens are rejected for a location that the processor does not accept'],
    open: wrapping((right) => ({
      createConnectionToken: ({ account }) => right.createConnectionToken({ account }),
    })),
  },
];
