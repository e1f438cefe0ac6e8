import {
  err,
  ok,
  type RefundState,
  Result,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import {
  cardMustBePresent,
  type PaymentHandle,
  type ProcessorRefund,
  type RefundPaymentRequest,
} from '@chairside/core/ports';
import type { Call } from './connection.ts';
import { type Failure, rejected, unknown } from './failure.ts';
import { findIntent, listOfIntent } from './intents.ts';
import { markNames, paymentMetadata } from './marks.ts';
import { believe, type Refund, refundShape } from './shapes.ts';
import { lookUp } from './tables.ts';

/** Stripe's states in ours (D44). */
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
    const details = Object(intent.latest_charge?.payment_method_details);
    if (Reflect.get(details, 'interac_present') !== undefined) {
      return err(rejected(cardMustBePresent));
    }
    const isDestination = call.charges === 'destination';
    // Of a destination charge Stripe returns the fee only with the transfer.
    const isFeeReturned = returnsFee && (reversesTransfer || !isDestination);
    const params = {
      payment_intent: intent.id,
      amount: Number(amountMinor),
      metadata: { ...paymentMetadata(request), [markNames.refund]: refundId },
      ...(isFeeReturned && { refund_application_fee: true }),
      ...(isDestination && reversesTransfer && { reverse_transfer: true }),
    };
    const reply = yield* call.send((stripe, options) => stripe.refunds.create(params, options), {
      account,
      idempotencyKey,
    });
    const refund = yield* believe(refundShape, reply);
    const shown = yield* toRefund(call, request, refund);
    const { payment_intent: of = intent.id } = refund;
    const isIt = of === intent.id && shown.refundId === refundId;
    const isSame = shown.amountMinor === amountMinor && shown.currency === request.currency;
    return isIt && isSame ? ok(shown) : err(unknown);
  });
}

/** A refund may be booked days after it was made, and stands on that day. */
const expand = ['data.balance_transaction', 'data.failure_balance_transaction'];

/** Every refund of a captured intent, those of the dashboard included. */
export function listRefunds(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<readonly ProcessorRefund[], Failure> {
  return listOfIntent(
    call,
    payment,
    refundShape,
    (payment_intent) => (stripe, params, options) =>
      stripe.refunds.list({ ...params, payment_intent, expand }, options),
  ).andThen((refunds) => {
    const moved = refunds.filter((refund) => !isRelease(refund));
    return Result.combine(moved.map((refund) => toRefund(call, payment, refund)));
  });
}

/**
 * Whether it only released the rest of an authorization, because less was captured: Stripe calls that a
 * refund too, and books nothing.
 */
export function isRelease({ status, balance_transaction, metadata }: Refund): boolean {
  const isOurs = metadata[markNames.refund] !== undefined;
  return status === 'succeeded' && balance_transaction === null && !isOurs;
}

function toRefund(
  { clock }: Call,
  { paymentId, installation }: PaymentHandle,
  refund: Refund,
): Result<ProcessorRefund, Failure> {
  const { id, status, amount, currency, metadata, balance_transaction } = refund;
  const { failure_reason, pending_reason } = refund;
  // A refund without a state may be any: as pending it counts as given back, and is read again.
  const state = status === undefined ? 'pending' : lookUp(states, status);
  if (state === undefined) return err(unknown);
  const refundId = metadata[markNames.refund];
  const isOurs =
    metadata[markNames.payment] === paymentId && metadata[markNames.installation] === installation;
  const madeAt = balance_transaction?.created ?? refund.created;
  const returnedAt = refund.failure_balance_transaction?.created;
  const isTransferReversed = refund.transfer_reversal !== undefined;
  return ok({
    reference: id,
    ...(isOurs && refundId !== undefined && { refundId }),
    state,
    amountMinor: BigInt(amount),
    currency,
    // A refund waits unbooked while the balance does not suffice.
    isBooked: balance_transaction !== null,
    ...(isTransferReversed && { isTransferReversed }),
    ...(failure_reason && { failure: failure_reason }),
    ...(pending_reason && { pendingReason: pending_reason }),
    madeAt: madeAt ? madeAt * secondMs : clock.now(),
    ...(returnedAt && { returnedAt: returnedAt * secondMs }),
  });
}
