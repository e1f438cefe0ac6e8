import {
  cardMustBePresent,
  err,
  ok,
  type PaymentHandle,
  type ProcessorRefund,
  type RefundPaymentRequest,
  type RefundState,
  Result,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import type { Call } from './connection.ts';
import { type Failure, rejected, unknown } from './failure.ts';
import { findIntent, listOfIntent } from './intents.ts';
import { chargeOf } from './ledger.ts';
import { markNames, metadataOf, paymentMetadata } from './marks.ts';
import { believe, type Refund, refundShape } from './shapes.ts';
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
  const { account, refundId, amountMinor, idempotencyKey } = request;
  const { returnsFee, reversesTransfer } = request;
  return safeTry(async function* () {
    const intent = yield* findIntent(call, request);
    if (intent === undefined) return err(rejected('unknownPayment'));
    if (intent.status !== 'succeeded') return err(rejected('unexpectedState'));
    if (intent.currency !== request.currency) return err(rejected('currencyMismatch'));
    // Interac gives money back only while the card is held to a terminal.
    const details = Object(chargeOf(intent)?.payment_method_details);
    if (Reflect.get(details, 'interac_present') !== undefined) {
      return err(rejected(cardMustBePresent));
    }
    const params = {
      payment_intent: intent.id,
      amount: Number(amountMinor),
      metadata: { ...paymentMetadata(request), [markNames.refund]: refundId },
      ...(returnsFee && { refund_application_fee: true }),
      ...(call.charges === 'destination' && reversesTransfer && { reverse_transfer: true }),
    };
    const reply = yield* call.send((stripe, options) => stripe.refunds.create(params, options), {
      account,
      idempotencyKey,
    });
    const refund = yield* believe(refundShape, reply);
    const shown = yield* toRefund(request, refund);
    const isIt = refund.payment_intent === intent.id && shown.refundId === refundId;
    return isIt ? ok(shown) : err(unknown);
  });
}

/** Every refund of a captured intent, those of the dashboard included. */
export function listRefunds(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<readonly ProcessorRefund[], Failure> {
  return listOfIntent(call, payment, refundShape, (stripe, params, options) =>
    stripe.refunds.list(params, options),
  ).andThen((refunds) => Result.combine(refunds.map((refund) => toRefund(payment, refund))));
}

function toRefund(
  { paymentId, installation }: PaymentHandle,
  { id, status, amount, currency, failure_reason, metadata }: Refund,
): Result<ProcessorRefund, Failure> {
  const state = lookUp(states, status ?? '');
  if (state === undefined) return err(unknown);
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
