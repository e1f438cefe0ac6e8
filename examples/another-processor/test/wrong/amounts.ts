import { formatMoney } from '@chairside/core';
import type { ProcessorPayment } from '@chairside/core/ports';
import {
  type Json,
  overWire,
  refunding,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

const booked = 'amounts of 1000 minor units stay exact, or are rejected';

/** Payments are shown with other amounts. */
const showing = (change: (seen: ProcessorPayment) => ProcessorPayment) =>
  wrapping((right) => ({
    readPayment: (payment, claimed) =>
      right.readPayment(payment, claimed).map((seen) => seen && change(seen)),
    capturePayment: (request) => right.capturePayment(request).map(change),
  }));

/** Reads an amount as a number with a fraction, which 45.37 is not exactly. */
const asFraction = (minor: bigint) => BigInt(Math.floor(Number(formatMoney(minor)) * 100));

/** The amounts of a message, changed everywhere. */
function inMessage(message: Json, change: (text: string) => string): Json {
  const text = JSON.stringify(message, (_, value) =>
    typeof value === 'string' && /^\d+\.\d\d$/.test(value) ? change(value) : value,
  );
  return JSON.parse(text);
}

const timesHundred = (text: string) => `${text.replace('.', '')}.00`;
const byHundred = (text: string) => formatMoney(BigInt(text.replace(/\.\d\d$/, '')));

/** They mix amounts and currencies up. */
export const processorsThatMixUpAmounts: readonly WrongProcessor[] = [
  {
    fault: 'reads amounts as numbers with a fraction',
    caughtBy: [
      'presenting a card authorizes the payment and shows the card',
      'capturing captures exactly the authorized amount',
      'presenting a card shows the approved amount',
      'opening charges a tip as a part of the amount, and shows the same tip or none',
      'times are in milliseconds, near the processor’s clock',
    ],
    open: showing((seen) => ({ ...seen, amountMinor: asFraction(seen.amountMinor) })),
  },
  {
    fault: 'sends cents as whole units, and reads them back alike',
    caughtBy: [
      booked,
      'amounts of 100 minor units stay exact, or are rejected',
      'refunds may end later, and give nothing back if they fail',
      'refunds are all listed where a page does not hold them',
      'refunds are listed with those that were made elsewhere',
      'amounts of 2147483648 minor units stay exact, or are rejected',
    ],
    open: overWire(async ({ body, ...request }, send) => {
      const sent = body === undefined ? {} : { body: inMessage(body, timesHundred) };
      const reply = await send({ ...request, ...sent });
      return { ...reply, body: inMessage(reply.body, byHundred) };
    }),
  },
  {
    fault: 'captures what was approved instead of what was asked',
    caughtBy: [
      'capturing never captures more than the requested amount',
      'capturing is rejected above the approved amount',
    ],
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right.readPayment(request).andThen((seen) =>
          right.capturePayment({
            ...request,
            amountMinor: seen?.authorizedMinor ?? request.amountMinor,
          }),
        ),
    })),
  },
  {
    fault: 'shows when it was approved as the time of the capture',
    caughtBy: ['shows when it was authorized and when captured, if time passes in between'],
    open: showing((seen) => ({
      ...seen,
      ...(seen.capturedAt !== undefined &&
        seen.authorizedAt !== undefined && { capturedAt: seen.authorizedAt }),
    })),
  },
  {
    fault: 'leaves out the fee of the platform',
    caughtBy: ['opening keeps the fee of the platform'],
    open: overWire(({ body, ...request }, send) => {
      const { fee: _fee, ...others } = body ?? {};
      return send({ ...request, ...(body && { body: others }) });
    }),
  },
  {
    fault: 'reports a capture in the currency that was asked',
    caughtBy: ['capturing is never reported in another currency'],
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment({ ...request, currency: 'eur' })
          .map((seen) => ({ ...seen, currency: request.currency })),
    })),
  },
  {
    fault: 'refunds in any currency',
    caughtBy: ['refunds are never reported in another currency'],
    open: refunding((right) => ({
      refund: (request) =>
        right
          .refund({ ...request, currency: 'eur' })
          .map((refund) => ({ ...refund, currency: request.currency })),
    })),
  },
  {
    fault: 'shows refunds with amounts that were read as numbers',
    caughtBy: [
      'refunds give parts of a captured payment back, each with our mark',
      'refunds are two for two keys, even if they give back the same amount',
    ],
    open: refunding((right) => ({
      refund: (request) =>
        right
          .refund(request)
          .map((refund) => ({ ...refund, amountMinor: asFraction(refund.amountMinor) - 1n })),
    })),
  },
];
