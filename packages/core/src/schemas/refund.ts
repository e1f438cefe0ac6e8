import * as v from 'valibot';
import type { Dispute } from '../domain/dispute.ts';
import { refundStates } from '../domain/refund.ts';
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
