import * as v from 'valibot';
import type { Dispute } from '../domain/dispute.ts';
import { formatMoney } from '../domain/money.ts';
import { type Refund, type RefundState, refundStates } from '../domain/refund.ts';
import { type EpochMs, formatTimestamp } from '../domain/time.ts';
import { tipMember } from '../domain/tip.ts';
import { countSchema, moneySchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

export const refundPaymentBodySchema = v.strictObject({
  amount: v.optional(moneySchema),
  reason: v.optional(text(1, 255)),
});

/** The body of a refund where tips are switched on (D48). */
export const refundTippedPaymentBodySchema = v.strictObject({
  amount: v.optional(moneySchema),
  tip: v.optional(moneySchema),
  reason: v.optional(text(1, 255)),
});

export const refundSchema = v.object({
  id: resourceIdSchema,
  contactlessPaymentId: resourceIdSchema,
  amount: moneySchema,
  currency: v.pipe(v.string(), v.regex(/^[a-z]{3}$/)),
  state: v.picklist(refundStates),
  origin: v.picklist(['here', 'elsewhere']),
  reason: v.exactOptional(text(1, 255)),
  failure: v.exactOptional(v.string()),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const tippedRefundSchema = v.object({
  ...refundSchema.entries,
  tip: v.exactOptional(moneySchema),
});

export const refundsSchema = v.object({
  items: v.array(refundSchema),
  count: countSchema,
  captured: moneySchema,
  refundable: moneySchema,
});

export const tippedRefundsSchema = v.object({
  ...refundsSchema.entries,
  items: v.array(tippedRefundSchema),
  refundableTip: v.exactOptional(moneySchema),
});

/** A refund of a payment, in the clients' view (D44). */
export interface RefundView extends v.InferOutput<typeof refundSchema> {}
/** The refunds of a payment, oldest first, and the refundable rest of the captured amount. */
export interface RefundsView extends v.InferOutput<typeof refundsSchema> {
  items: RefundView[];
}
/** A refund of a payment that may have a tip (D48). */
export interface TippedRefundView extends RefundView {
  /** The part of the amount that is tip. Absent without one. */
  readonly tip?: string;
}
/** The refunds of a payment that may have a tip, and the tip that can still be refunded. */
export interface TippedRefundsView extends RefundsView {
  items: TippedRefundView[];
  readonly refundableTip?: string;
}
export type RefundTippedPaymentBody = v.InferInput<typeof refundTippedPaymentBodySchema>;
export type RefundPaymentBody = v.InferInput<typeof refundPaymentBodySchema>;

export function viewRefund(refund: Refund): TippedRefundView {
  const view = refundViewIn(refund, refund.state, refund.updatedAt);
  return refund.failure === undefined ? view : { ...view, failure: refund.failure };
}

/** The refund as first accepted, so that a replay is identical byte for byte (D21). */
export function viewAcceptedRefund(refund: Refund): TippedRefundView {
  const { acceptedAs = refund.state, acceptedAt = refund.updatedAt } = refund;
  return refundViewIn(refund, acceptedAs, acceptedAt);
}

function refundViewIn(refund: Refund, state: RefundState, updatedAt: EpochMs): TippedRefundView {
  const { id, paymentId, amountMinor, tipMinor, currency, origin, reason, createdAt } = refund;
  return {
    id,
    contactlessPaymentId: paymentId,
    amount: formatMoney(amountMinor),
    ...tipMember(tipMinor),
    currency,
    state,
    origin,
    ...(reason !== undefined && { reason }),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}

/** A dispute in the host's view (D45). */
export interface DisputeView {
  readonly id: string;
  readonly contactlessPaymentId: string;
  readonly businessId: string;
  /** The processor's id of the dispute. */
  readonly processorReference: string;
  readonly amount: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly state: Dispute['state'];
  /** The cardholder's reason, in the processor's words. */
  readonly reason?: string;
  /** The deadline for the shop's evidence. */
  readonly respondBy?: string;
  readonly openedAt: string;
  readonly updatedAt: string;
}

export function viewDispute(dispute: Dispute): DisputeView {
  const { id, paymentId, businessId, reference, amountMinor, currency, state } = dispute;
  const { reason, respondBy, openedAt, updatedAt } = dispute;
  return {
    id,
    contactlessPaymentId: paymentId,
    businessId,
    processorReference: reference,
    amount: formatMoney(amountMinor),
    currency,
    state,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy: formatTimestamp(respondBy) }),
    openedAt: formatTimestamp(openedAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}
