import {
  cardMustBePresent,
  err,
  ok,
  type PaymentHandle,
  type ProcessorRefund,
  type RefundPaymentRequest,
  type RefundState,
  type Result,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, rejected, unknown } from './failure.ts';
import { findIntent, type ReadIntent } from './intents.ts';
import { markNames, metadataOf, paymentMetadata } from './marks.ts';
import { believe, type Refund, refundListShape, refundShape } from './shapes.ts';
import { lookUp } from './tables.ts';

/** Stripe's states in ours (D44). Another state cannot be believed. */
const states: Readonly<Record<string, RefundState>> = {
  pending: 'pending',
  requires_action: 'pending',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};

/** Refunds a captured intent, whole or in part. The refund carries our marks. */
export function refundPayment(
  call: Call,
  request: RefundPaymentRequest,
): ResultAsync<ProcessorRefund, Failure> {
  const { refundId, amountMinor, idempotencyKey, returnsFee, reversesTransfer } = request;
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, request.account);
    const intent = yield* findIntent(call, request);
    if (intent === undefined) return err(rejected('unknownPayment'));
    if (intent.status !== 'succeeded') return err(rejected('unexpectedState'));
    if (intent.currency !== request.currency) return err(rejected('currencyMismatch'));
    if (isInterac(intent)) return err(rejected(cardMustBePresent));
    const params = {
      payment_intent: intent.id,
      amount: Number(amountMinor),
      metadata: { ...paymentMetadata(request), [markNames.refund]: refundId },
      ...(returnsFee && { refund_application_fee: true }),
      ...(call.charges === 'destination' && reversesTransfer && { reverse_transfer: true }),
    };
    const reply = yield* call.send((stripe, options) => stripe.refunds.create(params, options), {
      ...scope,
      idempotencyKey,
    });
    const refund = yield* believe(refundShape, reply);
    const shown = yield* toRefund(request, intent.id, refund);
    return shown.refundId === refundId ? ok(shown) : err(unknown);
  });
}

/** Interac gives money back only while the card is held to a terminal. */
function isInterac({ latest_charge }: ReadIntent): boolean {
  const charge = typeof latest_charge === 'object' ? latest_charge : undefined;
  return Reflect.get(Object(charge?.payment_method_details), 'interac_present') !== undefined;
}

/** Every refund of a captured intent, those of the dashboard included. */
export function listRefunds(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<readonly ProcessorRefund[], Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, payment.account);
    const intent = yield* findIntent(call, payment);
    // Stripe also reports the release of an uncaptured authorization as a refund.
    if (intent?.status !== 'succeeded') return ok([]);
    const shown: ProcessorRefund[] = [];
    let after: string | undefined;
    for (;;) {
      const starting = after === undefined ? {} : { starting_after: after };
      const params = { payment_intent: intent.id, limit: 100, ...starting };
      const reply = yield* call.send(
        (stripe, options) => stripe.refunds.list(params, options),
        scope,
      );
      const { data, has_more } = yield* believe(refundListShape, reply);
      for (const refund of data) shown.push(yield* toRefund(payment, intent.id, refund));
      const last = data.at(-1)?.id;
      if (!has_more) return ok(shown);
      if (last === undefined || last === after) return err(unknown);
      after = last;
    }
  });
}

function toRefund(
  { paymentId, installation }: PaymentHandle,
  intentId: string,
  { id, status, amount, currency, failure_reason, metadata, payment_intent }: Refund,
): Result<ProcessorRefund, Failure> {
  const state = lookUp(states, status ?? '');
  if (state === undefined || payment_intent !== intentId) return err(unknown);
  const marks = metadataOf({ metadata }) ?? {};
  const refundId = marks[markNames.refund];
  const isOurs =
    marks[markNames.payment] === paymentId && marks[markNames.installation] === installation;
  return ok({
    reference: id,
    ...(isOurs && refundId !== undefined && { refundId }),
    state,
    amountMinor: BigInt(amount),
    currency,
    ...(failure_reason && { failure: failure_reason }),
  });
}
