import { errAsync, okAsync, type ProcessorError, type Result, ResultAsync } from '@chairside/core';
import {
  isUnknown,
  mistaking,
  notApplied,
  nothing,
  overWire,
  refunding,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

type Never = Result<never, ProcessorError>;

const refundLost = 'refunds can lose the reply, and are made once under their key';

/** They believe what no answer proves. */
export const processorsThatBelieve: readonly WrongProcessor[] = [
  {
    fault: 'calls an opening without an answer not applied',
    caughtBy: 'opening can lose its reply',
    open: wrapping((right) => ({
      openPayment: (request) => right.openPayment(request).orElse(notApplied),
    })),
  },
  {
    fault: 'calls a capture without an answer not applied',
    caughtBy: 'capturing can lose its reply',
    open: wrapping((right) => ({
      capturePayment: (request) => right.capturePayment(request).orElse(notApplied),
    })),
  },
  {
    fault: 'calls a cancelation without an answer not applied',
    caughtBy: 'canceling can lose its reply',
    open: wrapping((right) => ({
      cancelPayment: (request) => right.cancelPayment(request).orElse(notApplied),
    })),
  },
  {
    fault: 'calls a refund without an answer not applied',
    caughtBy: refundLost,
    open: refunding((right) => ({
      refund: (request) => right.refund(request).orElse(notApplied),
    })),
  },
  {
    fault: 'calls a setup without an answer not applied',
    caughtBy: 'setups can lose the reply to their opening',
    open: wrapping((right) => ({
      openSetup: (request) => right.openSetup(request).orElse(notApplied),
    })),
  },
  {
    fault: 'calls a capture without an answer rejected',
    caughtBy: 'capturing can lose its reply',
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse(mistaking(() => ({ kind: 'rejected', reason: 'lost' }))),
    })),
  },
  {
    fault: 'calls a capture without an answer captured',
    caughtBy: 'capturing can lose its reply',
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse((error) =>
            isUnknown(error)
              ? okAsync({ ...request, status: 'captured' as const, clientSecret: 'secret' })
              : errAsync(error),
          ),
    })),
  },
  {
    fault: 'calls a cancelation without an answer done',
    caughtBy: 'canceling can lose its reply',
    open: wrapping((right) => ({
      cancelPayment: (request) => right.cancelPayment(request).orElse(nothing),
    })),
  },
  {
    fault: 'sends a refund without an answer again under another key',
    caughtBy: refundLost,
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
    fault: 'throws where no answer comes',
    caughtBy: 'capturing can lose its reply',
    open: wrapping((right) => ({
      capturePayment(request) {
        const asked = async () => {
          const result = await right.capturePayment(request);
          if (result.isErr() && isUnknown(result.error)) throw new Error('no answer');
          return result;
        };
        return new ResultAsync(asked());
      },
    })),
  },
  {
    fault: 'waits for an answer for ever',
    caughtBy: 'ends every call within its deadline when the processor never responds',
    open: wrapping((right) => ({
      readPayment: (payment) =>
        right.readPayment(payment).orElse(() => new ResultAsync(new Promise<Never>(() => {}))),
    })),
  },
  {
    fault: 'calls a failure of the processor a rejection',
    caughtBy:
      'capturePayment, when the processor fails is unknown and answered if it was applied, and the ledger shows it',
    open: overWire(async (request, send) => {
      const reply = await send(request);
      return reply.status < 500 ? reply : { status: 409, body: { code: 'failed' } };
    }),
  },
  {
    fault: 'calls a failure of a refund not applied',
    caughtBy:
      'refund, when the processor fails is unknown and answered if it was applied, and the ledger shows it',
    open: refunding((right) => ({
      refund: (request) => right.refund(request).orElse(notApplied),
    })),
  },
  {
    fault: 'does not say that a failure was answered',
    caughtBy:
      'openPayment, when the processor fails is unknown and answered, and is made under another key',
    open: wrapping((right) => ({
      openPayment: (request) =>
        right
          .openPayment(request)
          .orElse(
            mistaking((error) =>
              error.kind === 'unavailable' ? { ...error, answered: false } : error,
            ),
          ),
    })),
  },
  {
    fault: 'believes a reply of another shape to a capture',
    caughtBy:
      'capturePayment, when the processor fails is unknown for a reply that cannot be believed',
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse((error) =>
            isUnknown(error)
              ? okAsync({ ...request, status: 'captured' as const, clientSecret: 'secret' })
              : errAsync(error),
          ),
    })),
  },
  {
    fault: 'calls a refund with a reply of another shape rejected',
    caughtBy: 'refund, when the processor fails is unknown for a reply that cannot be believed',
    open: overWire(async (request, send) => {
      const reply = await send(request);
      return 'result' in reply.body ? { status: 409, body: { code: 'unreadable' } } : reply;
    }),
  },
  {
    fault: 'calls a payment missing when the processor fails',
    caughtBy: 'readPayment without an answer never says that there is none: fail',
    open: wrapping((right) => ({
      readPayment: (payment, claimed) => right.readPayment(payment, claimed).orElse(nothing),
    })),
  },
  {
    fault: 'calls a payment missing when the answer is lost',
    caughtBy: 'readPayment without an answer never says that there is none: loseReply',
    open: wrapping((right) => ({
      readPayment: (payment, claimed) => right.readPayment(payment, claimed).orElse(nothing),
    })),
  },
  {
    fault: 'calls a payment missing when the reply has another shape',
    caughtBy: 'readPayment without an answer never says that there is none: garbleReply',
    open: overWire(async (request, send) => {
      const reply = await send(request);
      return 'result' in reply.body ? { status: 200, body: { orders: [], next: null } } : reply;
    }),
  },
];
