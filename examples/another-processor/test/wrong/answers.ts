import { type Result, ResultAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import {
  type Json,
  notApplied,
  nothing,
  overWire,
  refunding,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

type Never = Result<never, ProcessorError>;

const refundLost =
  'refund, sent again, is unknown if its reply is lost, and is made once under the same key';

/** An order that was accepted to be completed, as if that had ended. */
function completed(order: Json): Json {
  if (order['state'] !== 'completing') return order;
  const { sale } = order;
  const [note, total] = ['completing', 'approved'].map((name) => Reflect.get(Object(sale), name));
  return {
    ...order,
    state: 'completed',
    sale: { ...Object(sale), completed: { total, note, at: 0 } },
  };
}

/** They believe what no answer proves. */
export const processorsThatBelieve: readonly WrongProcessor[] = [
  {
    fault: 'calls a capture without an answer not applied',
    caughtBy: [
      'capturePayment, sent again, is unknown if its reply is lost, and is made once under the same key',
      'capturePayment, when the processor fails is unknown for a reply that cannot be believed',
      'captures that end later give nothing back before they end',
      'captures that end later send a message when they end',
      'capturePayment, when the processor fails is unknown if it is applied and has no reply',
    ],
    open: wrapping((right) => ({
      capturePayment: (request) => right.capturePayment(request).orElse(notApplied),
    })),
  },
  {
    fault: 'calls a cancelation without an answer done',
    caughtBy: [
      'cancelPayment, sent again, is unknown if its reply is lost, and is made once under the same key',
      'canceling is rejected for a captured payment',
      'captures that end later are not canceled while they are in flight',
    ],
    open: wrapping((right) => ({
      cancelPayment: (request) => right.cancelPayment(request).orElse(nothing),
    })),
  },
  {
    fault: 'sends a refund without an answer again under another key',
    caughtBy: [
      refundLost,
      'refund, when the processor fails is unknown and answered if it was applied, and the books show it',
      'refund, when the processor fails is unknown for a reply that cannot be believed',
      'refund, when the processor fails is unknown and answered, and is made under another key',
      'refund, when the processor fails is not applied, and is then made under the same key: rateLimit',
    ],
    open: refunding((right) => ({
      refund: (request) =>
        right
          .refund(request)
          .orElse(() =>
            right.refund({ ...request, idempotencyKey: `${request.idempotencyKey}:2` }),
          ),
    })),
  },
  {
    fault: 'waits for an answer for ever',
    caughtBy: [
      'ends every call within its deadline when the processor never responds',
      'readPayment without an answer never says that there is none: fail',
      'readPayment without an answer never says that there is none: loseReply',
      'readPayment without an answer never says that there is none: garbleReply',
      'reading rejects a reference of another payment, and an unknown one',
      'readPayment without an answer never says that there is none: rateLimit',
    ],
    open: wrapping((right) => ({
      readPayment: (payment) =>
        right.readPayment(payment).orElse(() => new ResultAsync(new Promise<Never>(() => {}))),
    })),
  },
  {
    fault: 'calls a failure of the processor a rejection',
    caughtBy: [
      'capturePayment, when the processor fails is unknown and answered if it was applied, and the books show it',
      'readReceipt without an answer never says that there is none: fail',
      'cancelSetup, when the processor fails is unknown and answered if it was applied, and the books show it',
    ],
    open: overWire(async (request, send) => {
      const reply = await send(request);
      return reply.status < 500 ? reply : { status: 409, body: { code: 'failed' } };
    }),
  },
  {
    fault: 'reports an accepted capture as captured',
    caughtBy: ['captures that end later leave the payment authorized until they end'],
    open: overWire(async (request, send) => {
      const { status, body } = await send(request);
      return { status, body: completed(body) };
    }),
  },
];
