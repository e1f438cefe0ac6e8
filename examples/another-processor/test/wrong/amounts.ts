import { formatMoney, type OpenPaymentRequest, type ProcessorPayment } from '@chairside/core';
import {
  type Json,
  overWire,
  refunding,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

const booked = 'capturing is booked at the processor with exactly that amount';

/** Payments are shown with other amounts. */
const showing = (change: (seen: ProcessorPayment) => ProcessorPayment) =>
  wrapping((right) => ({
    readPayment: (payment, claimed) =>
      right.readPayment(payment, claimed).map((seen) => seen && change(seen)),
    capturePayment: (request) => right.capturePayment(request).map(change),
  }));

const tips = 'opening charges a tip as a part of the amount, and shows the same tip or none';

/** Payments are opened in another way than they are asked for. */
const opening = (change: (request: OpenPaymentRequest) => OpenPaymentRequest) =>
  wrapping((right) => ({ openPayment: (request) => right.openPayment(change(request)) }));

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
    caughtBy: 'presenting a card authorizes the payment and shows the card',
    open: showing((seen) => ({ ...seen, amountMinor: asFraction(seen.amountMinor) })),
  },
  {
    fault: 'sends cents as whole units, and reads them back alike',
    caughtBy: booked,
    open: overWire(async ({ body, ...request }, send) => {
      const sent = body === undefined ? {} : { body: inMessage(body, timesHundred) };
      const reply = await send({ ...request, ...sent });
      return { ...reply, body: inMessage(reply.body, byHundred) };
    }),
  },
  {
    fault: 'sends amounts without their cents',
    caughtBy: booked,
    open: overWire(async ({ body, ...request }, send) => {
      const whole = (text: string) => text.replace(/\d\d$/, '00');
      const reply = await send({ ...request, ...(body && { body: inMessage(body, whole) }) });
      return { ...reply, body: inMessage(reply.body, (text) => text.replace(/00$/, '37')) };
    }),
  },
  {
    fault: 'captures what was approved instead of what was asked',
    caughtBy: 'capturing never captures more than the requested amount',
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
    fault: 'captures a part that was approved',
    caughtBy: 'capturing is rejected above the approved amount',
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
    fault: 'shows no captured amount',
    caughtBy: 'capturing captures exactly the authorized amount',
    open: showing(({ capturedMinor: _captured, ...seen }) => seen),
  },
  {
    fault: 'shows a captured amount before the capture',
    caughtBy: 'presenting a card authorizes the payment and shows the card',
    open: showing((seen) => ({ ...seen, capturedMinor: seen.amountMinor })),
  },
  {
    fault: 'shows a part that was approved as the whole',
    caughtBy: 'presenting a card shows the approved amount',
    open: showing((seen) => ({ ...seen, authorizedMinor: seen.amountMinor })),
  },
  {
    fault: 'leaves out the fee of the platform',
    caughtBy: 'opening keeps the fee of the platform',
    open: overWire(({ body, ...request }, send) => {
      const { fee: _fee, ...others } = body ?? {};
      return send({ ...request, ...(body && { body: others }) });
    }),
  },
  {
    fault: 'charges a tip on top of the amount',
    caughtBy: tips,
    open: opening((request) => ({
      ...request,
      amountMinor: request.amountMinor + (request.tipMinor ?? 0n),
    })),
  },
  {
    fault: 'leaves the tip out of the amount',
    caughtBy: tips,
    open: opening((request) => ({
      ...request,
      amountMinor: request.amountMinor - (request.tipMinor ?? 0n),
    })),
  },
  {
    fault: 'forgets the tip, and says that there is none',
    caughtBy: tips,
    open: showing((seen) => ({ ...seen, tipMinor: 0n })),
  },
  {
    fault: 'reports a capture in the currency that was asked',
    caughtBy: 'capturing is never reported in another currency',
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment({ ...request, currency: 'eur' })
          .map((seen) => ({ ...seen, currency: request.currency })),
    })),
  },
  {
    fault: 'gives all back for a part',
    caughtBy: 'refunds give parts of a captured payment back, each with our mark',
    open: refunding((right, tally) => ({
      refund: (request) =>
        right.refund({
          ...request,
          amountMinor:
            tally.saleOf(request.reference ?? '')?.sale?.completed?.totalMinor ??
            request.amountMinor,
        }),
    })),
  },
  {
    fault: 'refunds in any currency',
    caughtBy: 'refunds are never reported in another currency',
    open: refunding((right) => ({
      refund: (request) =>
        right
          .refund({ ...request, currency: 'eur' })
          .map((refund) => ({ ...refund, currency: request.currency })),
    })),
  },
  {
    fault: 'shows refunds with amounts that were read as numbers',
    caughtBy: 'refunds give parts of a captured payment back, each with our mark',
    open: refunding((right) => ({
      refund: (request) =>
        right
          .refund(request)
          .map((refund) => ({ ...refund, amountMinor: asFraction(refund.amountMinor) - 1n })),
    })),
  },
  {
    fault: 'reads the amount of a message without its cents',
    caughtBy: 'events report a refund, which changes no state',
    open: wrapping((right) => ({
      parseEvent: (event, now) =>
        right
          .parseEvent(event, now)
          .map((told) =>
            told.kind === 'refund'
              ? { ...told, amountMinor: (told.amountMinor / 100n) * 100n }
              : told,
          ),
    })),
  },
];
