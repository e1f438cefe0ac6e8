import { err, formatMoney, ok, type Result } from '@chairside/core';
import {
  type CancelPaymentRequest,
  type CapturePaymentRequest,
  foreignReference,
  type OpenedAtProcessor,
  type OpenPaymentRequest,
  type PaymentHandle,
  type ProcessorError,
  type ProcessorPayment,
} from '@chairside/core/ports';
import { type Call, type Reply, rejected, unknown } from './connection.ts';
import { findOrder, findSale, merchantPath, salePath } from './orders.ts';
import { isOf, type Order, orderShape, ordersShape, toPayment } from './shapes.ts';

type Answer<T> = Promise<Result<T, ProcessorError>>;

export async function openPayment(
  call: Call,
  request: OpenPaymentRequest,
): Answer<OpenedAtProcessor> {
  const { account, paymentId, installation, amountMinor, currency } = request;
  const { applicationFeeMinor: fee } = request;
  const body = {
    number: paymentId,
    source: installation,
    total: formatMoney(amountMinor),
    currency: currency.toUpperCase(),
    ...(fee !== undefined && { fee: formatMoney(fee) }),
  };
  const path = `${merchantPath(account)}/orders`;
  const requestId = request.idempotencyKey;
  const asked = await call.ask({ method: 'POST', path, body, requestId }, orderShape);
  if (asked.isErr()) return err(asked.error);
  const order = asked.value.value;
  const isMeant =
    isOf(order, request) && order.total === amountMinor && order.currency === body.currency;
  return isMeant ? ok({ clientSecret: order.token }) : err(unknown);
}

export async function readPayment(
  call: Call,
  payment: PaymentHandle,
  claimed?: string,
): Answer<ProcessorPayment | undefined> {
  const found = await (claimed === undefined
    ? findOrder(call, payment)
    : findSale(call, payment.account, claimed));
  if (found.isErr() || claimed === undefined) return found.map((reply) => reply && shown(reply));
  const reply = found.value;
  return reply && isOf(reply.value, payment) ? ok(shown(reply)) : err(rejected(foreignReference));
}

/**
 * Tally completes a sale in full, and has no request ids there. Our key goes along as a note, so that
 * a later call can tell whether its own capture or another one was carried out. The revision lets a
 * completion pass only if the order is still as it was compared.
 */
export async function capturePayment(
  call: Call,
  request: CapturePaymentRequest,
): Answer<ProcessorPayment> {
  const found = await findOrder(call, request);
  if (found.isErr()) return err(found.error);
  if (found.value === undefined) return err(rejected('unknownPayment'));
  const order = found.value.value;
  const { sale } = order;
  if (order.currency.toLowerCase() !== request.currency) return err(rejected('currencyMismatch'));
  if (order.state === 'completed') return ownCapture(found.value, request);
  if (order.state === 'completing') return err(inFlight(sale?.completing, request));
  // Tally would accept it again. The core makes the next attempt under another key.
  if (sale?.failed.includes(request.idempotencyKey)) return err(rejected('captureFailed'));
  if (order.state !== 'held' || sale === null) return err(rejected('unexpectedState'));
  if (sale.approved !== request.amountMinor) return err(rejected('amountMismatch'));
  const path = `${salePath(request.account, sale.id)}/completion`;
  const body = { revision: order.revision, note: request.idempotencyKey };
  const asked = await call.ask({ method: 'POST', path, body }, orderShape);
  if (asked.isOk()) {
    const completed = asked.value;
    const isMeant = isOf(completed.value, request) && completed.value.currency === order.currency;
    // It was applied, so that nothing in its reply is a rejection.
    return isMeant ? ownCapture(completed, request).orElse(() => err(unknown)) : err(unknown);
  }
  return asked.error.kind === 'rejected' ? afterRefusal(call, request) : err(asked.error);
}

/** Something came first: another key, a cancelation, or an earlier call under this key. */
async function afterRefusal(call: Call, request: CapturePaymentRequest): Answer<ProcessorPayment> {
  const found = await findOrder(call, request);
  if (found.isErr() || found.value === undefined) return err(unknown);
  const { state } = found.value.value;
  if (state === 'completed') return ownCapture(found.value, request);
  return err(state === 'held' || state === 'completing' ? unknown : rejected('unexpectedState'));
}

/** A completion was accepted and has not ended. Our own may still be carried out. */
function inFlight(
  note: string | null | undefined,
  { idempotencyKey }: CapturePaymentRequest,
): ProcessorError {
  return note === idempotencyKey ? unknown : rejected('beingCaptured');
}

function ownCapture(
  reply: Reply<Order>,
  { idempotencyKey, amountMinor }: CapturePaymentRequest,
): Result<ProcessorPayment, ProcessorError> {
  const completed = reply.value.sale?.completed;
  if (reply.value.state !== 'completed' || !completed) return err(unknown);
  if (completed.note !== idempotencyKey) return err(rejected('alreadyCaptured'));
  return completed.total === amountMinor ? ok(shown(reply)) : err(rejected('amountMismatch'));
}

/** Ends all of the order's tokens too, so that no card can be presented afterwards. */
export async function cancelPayment(
  call: Call,
  request: CancelPaymentRequest,
): Answer<ProcessorPayment | undefined> {
  const found = await findOrder(call, request);
  if (found.isErr() || found.value === undefined) return found.map(() => undefined);
  const { state, number, source } = found.value.value;
  if (state === 'completed') return err(rejected('alreadyCaptured'));
  if (state === 'completing') return err(rejected('beingCaptured'));
  if (state === 'voided') return ok(shown(found.value));
  const path = `${merchantPath(request.account)}/voids`;
  const asked = await call.ask({ method: 'POST', path, body: { number, source } }, ordersShape);
  if (asked.isErr()) return err(asked.error);
  if (!asked.value.value.orders.every((order) => isOf(order, request))) return err(unknown);
  const voided = await findOrder(call, request);
  if (voided.isErr()) return err(unknown);
  return voided.value?.value.state === 'voided' ? ok(shown(voided.value)) : err(unknown);
}

function shown({ value, at }: Reply<Order>): ProcessorPayment {
  const { paymentId: _ours, ...payment } = toPayment(value, at);
  return payment;
}
