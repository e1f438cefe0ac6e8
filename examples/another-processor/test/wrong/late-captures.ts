import { errAsync, okAsync, type ProcessorError, type RawEvent } from '@chairside/core';
import {
  isUnknown,
  type Json,
  mistaking,
  overWire,
  refunding,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

const untilTheyEnd = 'captures that end later leave the payment authorized until they end';
const onceFailed = 'captures that end later are made again under another key once they have failed';

const unknown: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };

const isReason = (error: ProcessorError, reason: string) =>
  error.kind === 'rejected' && error.reason === reason;

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

const isAbout = ({ payload }: RawEvent, type: string) => payload.includes(`"${type}"`);

/** They misjudge a capture that was accepted and has not ended. */
export const processorsThatEndTooEarly: readonly WrongProcessor[] = [
  {
    fault: 'reports an accepted capture as captured',
    caughtBy: untilTheyEnd,
    open: overWire(async (request, send) => {
      const { status, body } = await send(request);
      return { status, body: completed(body) };
    }),
  },
  {
    fault: 'shows a payment as processing while its capture is in flight',
    caughtBy: untilTheyEnd,
    open: wrapping((right, tally) => ({
      readPayment: (payment, claimed) =>
        right.readPayment(payment, claimed).map((seen) => {
          const order = tally.saleOf(seen?.reference ?? '');
          return seen && order?.state === 'completing' ? { ...seen, status: 'processing' } : seen;
        }),
    })),
  },
  {
    fault: 'shows the captured amount before the capture has ended',
    caughtBy: untilTheyEnd,
    open: wrapping((right, tally) => ({
      readPayment: (payment, claimed) =>
        right.readPayment(payment, claimed).map((seen) => {
          const order = tally.saleOf(seen?.reference ?? '');
          const capturedMinor = seen?.amountMinor ?? 0n;
          return seen && order?.state === 'completing' ? { ...seen, capturedMinor } : seen;
        }),
    })),
  },
  {
    fault: 'lists an accepted capture as captured',
    caughtBy: untilTheyEnd,
    open: overWire(async (request, send) => {
      const { status, body } = await send(request);
      const { orders } = body;
      const isList = request.url.searchParams.has('from') && Array.isArray(orders);
      return { status, body: isList ? { ...body, orders: orders.map(completed) } : body };
    }),
  },
  {
    fault: 'calls a capture in flight rejected',
    caughtBy: untilTheyEnd,
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse(
            mistaking((error) =>
              isUnknown(error) ? { kind: 'rejected', reason: 'pending' } : error,
            ),
          ),
    })),
  },
  {
    fault: 'says that a capture in flight was answered',
    caughtBy: untilTheyEnd,
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse(
            mistaking((error) => (isUnknown(error) ? { ...unknown, answered: true } : error)),
          ),
    })),
  },
  {
    fault: 'keeps the key of a failed capture',
    caughtBy: onceFailed,
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse(mistaking((error) => (isReason(error, 'captureFailed') ? unknown : error))),
    })),
  },
  {
    fault: 'sends a failed capture again under its key',
    caughtBy: onceFailed,
    open: overWire(async (request, send) => {
      const { status, body } = await send(request);
      const { sale } = body;
      return {
        status,
        body: sale ? { ...body, sale: { ...Object(sale), failed: [] } } : body,
      };
    }),
  },
  {
    fault: 'calls a payment canceled while its capture is in flight',
    caughtBy: 'captures that end later are not canceled while they are in flight',
    open: wrapping((right) => ({
      cancelPayment: (request) =>
        right
          .cancelPayment(request)
          .orElse((error) =>
            isReason(error, 'beingCaptured')
              ? right
                  .readPayment(request)
                  .map((seen) => seen && { ...seen, status: 'canceled' as const })
              : errAsync(error),
          ),
    })),
  },
  {
    fault: 'accepts a refund before the capture has ended',
    caughtBy: 'captures that end later give nothing back before they end',
    open: refunding((right) => ({
      refund: (request) =>
        right.refund(request).orElse((error) => {
          const { refundId, amountMinor, currency } = request;
          const made = { reference: refundId, refundId, amountMinor, currency };
          return isReason(error, 'unexpectedState')
            ? okAsync({ ...made, state: 'pending' as const })
            : errAsync(error);
        }),
    })),
  },
  {
    fault: 'ignores the message of a failed capture',
    caughtBy: 'captures that end later send a message when they end',
    open: wrapping((right) => ({
      parseEvent: (event, now) =>
        right.parseEvent(event, now).map((parsed) => {
          const { id } = parsed;
          return isAbout(event, 'order.held') ? { id, kind: 'ignored' } : parsed;
        }),
    })),
  },
];
