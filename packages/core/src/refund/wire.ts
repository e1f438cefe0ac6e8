import * as v from 'valibot';
import { tipMember } from '../payment/tip.ts';
import { documentTable } from '../storage/columns.ts';
import { formatMoney, formatMoneyIn } from '../values/money.ts';
import { type EpochMs, formatTimestamp } from '../values/time.ts';
import {
  count,
  moneySchema,
  resourceIdSchema,
  shape,
  text,
  timestampSchema,
  wireBody,
  wireObject,
} from '../values/wire.ts';
import { type Dispute, withheldMinor } from './dispute.ts';
import { type Refund, type RefundState, refundStates } from './refund.ts';

const refund = wireObject(
  'A refund of a captured payment.',
  {
    id: [resourceIdSchema, 'The id of the refund.', 'rfd_01jd3zk8q0e5v9h2m7x4r6t1bf'],
    contactlessPaymentId: [
      resourceIdSchema,
      'The id of the payment.',
      'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
    ],
    amount: [moneySchema, 'The refunded amount.', '10.00'],
    currency: [v.pipe(v.string(), v.regex(/^[a-z]{3}$/)), 'The currency of the payment.', 'eur'],
    state: [v.picklist(refundStates), 'The state of the refund.', 'failed'],
    origin: [v.picklist(['here', 'elsewhere']), 'Where the refund was made.', 'here'],
    reason: [
      v.exactOptional(text(1, 255)),
      'The reason that the shop gave.',
      'The cut was too short',
    ],
    failure: [
      v.exactOptional(v.string()),
      "The processor's reason why it failed. Present only in a failed refund.",
      'lost_or_stolen_card',
    ],
    pendingReason: [
      v.exactOptional(v.string()),
      "The processor's reason why it is still pending, such as `insufficient_funds`. Present only in a pending refund.",
      'insufficient_funds',
    ],
    createdAt: [timestampSchema, 'The time of creation.', '2026-11-20T10:30:00.000Z'],
    updatedAt: [timestampSchema, 'The time of the last change.', '2026-11-22T10:30:00.000Z'],
  },
  {
    tips: {
      tip: [
        v.exactOptional(moneySchema),
        'The part of the refund that is tip. Absent without one.',
        '2.00',
      ],
    },
  },
);
export const refundSchema = refund.schema;

const { failure: _, pendingReason: _pending, ...withoutFailure } = refund.example;
/** A refund at the moment of most responses. */
export const refundedExample = {
  ...withoutFailure,
  state: 'succeeded',
  updatedAt: '2026-11-20T10:30:01.000Z',
} as const;

const refunds = wireObject(
  'The refunds of a payment, and the rest that can be refunded.',
  {
    items: [
      v.array(refundSchema),
      'The refunds, oldest first, including those that were made at the processor.',
      [refundedExample],
    ],
    count,
    captured: [moneySchema, 'The captured amount, by the processor.', '45.00'],
    refundable: [
      moneySchema,
      'The amount that can still be refunded: captured, less refunds and what disputes withhold.',
      '35.00',
    ],
  },
  {
    tips: {
      refundableTip: [
        v.exactOptional(moneySchema),
        'The part of `refundable` that is tip. Absent if no tip is left.',
        '3.00',
      ],
    },
  },
);
export const refundsSchema = refunds.schema;

export const refundPaymentBody = wireBody(
  'The amount to refund, and why.',
  {
    amount: [
      v.optional(moneySchema),
      'The amount to refund. Default: all that can still be refunded.',
      refund.example.amount,
    ],
    reason: [
      v.optional(text(1, 255)),
      'The reason of the refund. It is stored, and shown with the refund.',
      refund.example.reason,
    ],
  },
  {
    tips: {
      tip: [
        v.optional(moneySchema),
        'The part of the refund that is tip, at most `refundableTip`. Default: the tip goes back last. Without an `amount` it is added to the rest that is not tip.',
        '2.00',
      ],
    },
    shares: {
      appointmentId: [
        v.optional(resourceIdSchema),
        'The visit whose money goes back, of a payment that was shared. Default: all shares, in proportion to what is left of each.',
        'appointment_8241',
      ],
      barberId: [
        v.optional(resourceIdSchema),
        'The barber whose money goes back. Default: all of the visit.',
        'barber_ada',
      ],
    },
  },
);

/** A refund of a payment, in the clients' view. `tip` is the part of the amount that is tip, if any. */
export interface RefundView extends v.InferOutput<typeof refundSchema> {}
/** The refunds of a payment, oldest first, and the refundable rest of the captured amount. */
export interface RefundsView extends v.InferOutput<typeof refundsSchema> {
  items: RefundView[];
}
/** The amount of a refund, its tip and a reason. Without an amount it is all that is left. */
export type RefundPaymentBody = v.InferInput<typeof refundPaymentBody.schema>;

/** A dispute in the host's view. */
export interface DisputeView {
  readonly id: string;
  readonly contactlessPaymentId: string;
  readonly businessId: string;
  /** The processor's id of the dispute. */
  readonly processorReference: string;
  readonly amount: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The amount that the processor keeps from the shop now; zero for an inquiry. */
  readonly withheld: string;
  /** The currency of `withheld`, where it is another one. */
  readonly withheldIn?: string;
  /** The case, whether money is withheld or not. A closed one may be opened again. */
  readonly state: Dispute['state'];
  /** The cardholder's reason, in the processor's words. */
  readonly reason?: string;
  /** The deadline for the shop's evidence. */
  readonly respondBy?: string;
  readonly openedAt: string;
  readonly updatedAt: string;
}

export const refundShapes = {
  Refund: refund,
  Refunds: refunds,
  RefundState: shape(
    refundSchema.entries.state,
    'The state of a refund. A `pending` refund reserves its amount. A `succeeded` one may still fail later. `failed` and `canceled` refunds return their amount to the refundable rest.',
    refundedExample.state,
  ),
  RefundOrigin: shape(
    refundSchema.entries.origin,
    '`here`: made by this service. `elsewhere`: made at the processor.',
    refund.example.origin,
  ),
  Currency: shape(
    refundSchema.entries.currency,
    'A currency: three lower-case letters of ISO 4217.',
    refund.example.currency,
  ),
  RefundPayment: refundPaymentBody,
};

export function viewRefund(refund: Refund): RefundView {
  const { failure, pendingReason } = refund;
  return {
    ...refundViewIn(refund, refund.state, refund.updatedAt),
    ...(failure !== undefined && { failure }),
    ...(pendingReason !== undefined && { pendingReason }),
  };
}

/** The refund as first accepted, so that a replay is identical byte for byte. */
export function viewAcceptedRefund(refund: Refund): RefundView {
  const { acceptedAs = refund.state, acceptedAt = refund.updatedAt } = refund;
  return refundViewIn(refund, acceptedAs, acceptedAt);
}

function refundViewIn(refund: Refund, state: RefundState, updatedAt: EpochMs): RefundView {
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

export function viewDispute(dispute: Dispute): DisputeView {
  const { id, paymentId, businessId, reference, amountMinor, currency, state } = dispute;
  const { reason, respondBy, openedAt, updatedAt, bookedIn } = dispute;
  return {
    id,
    contactlessPaymentId: paymentId,
    businessId,
    processorReference: reference,
    amount: formatMoneyIn(amountMinor, currency),
    currency,
    withheld: formatMoneyIn(withheldMinor(dispute), bookedIn),
    ...(bookedIn !== currency && { withheldIn: bookedIn }),
    state,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy: formatTimestamp(respondBy) }),
    openedAt: formatTimestamp(openedAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}

/** The id is first: PostgreSQL takes the first column as the key of an update. */
export const refundTable = documentTable<Refund>({
  id: (r) => r.id,
  version: (r) => r.version,
  payment_id: (r) => r.paymentId,
  next_check_at: (r) => r.nextCheckAt,
});

export const disputeTable = documentTable<Dispute>({
  id: (d) => d.id,
  version: (d) => d.version,
  payment_id: (d) => d.paymentId,
  state: (d) => d.state,
});
