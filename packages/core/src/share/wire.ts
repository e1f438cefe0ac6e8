import * as v from 'valibot';
import type { EventShare } from '../event/event.ts';
import type { Payment } from '../payment/payment.ts';
import { type ContactlessPayment, paymentShare, viewPayment } from '../payment/wire.ts';
import { refundSchema, refundShapes } from '../refund/wire.ts';
import { documentTable } from '../storage/columns.ts';
import { formatMoney } from '../values/money.ts';
import { formatTimestamp } from '../values/time.ts';
import {
  count,
  moneySchema,
  resourceIdSchema,
  text,
  timestampSchema,
  wireBody,
  wireObject,
} from '../values/wire.ts';
import { maxShares, type Part, type ShareEntry } from './share.ts';
import { sharesOf } from './shares-of.ts';

const noteSchema = text(1, 255);

const sharing = wireObject('Whose a payment is from now on.', {
  id: [resourceIdSchema, 'The id of the sharing.', 'shr_01jd3zk8q0e5v9h2m7x4r6t1bn'],
  contactlessPaymentId: [
    resourceIdSchema,
    'The id of the payment.',
    'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  ],
  currency: [refundSchema.entries.currency, 'The currency of the payment.', 'eur'],
  shares: [
    v.array(paymentShare.schema),
    'The parts of all that was captured. What had been given back before, or was withheld by a dispute, stays with whom it was.',
    [paymentShare.example],
  ],
  note: [v.exactOptional(noteSchema), 'The note of the shop.', 'The visit got a new id'],
  createdAt: [timestampSchema, 'When it was shared.', '2026-11-20T10:00:00.000Z'],
});
export const sharingSchema = sharing.schema;
export const sharingExample = sharing.example;

const askedShare = wireBody(
  'The part of one visit and barber.',
  {
    appointmentId: [
      resourceIdSchema,
      'The id of the visit. It is of the same business.',
      'appointment_8241',
    ],
    barberId: [v.optional(resourceIdSchema), "The barber. Default: the visit's.", 'barber_ada'],
    amount: [moneySchema, 'The whole amount of the part.', '20.00'],
  },
  {
    tips: {
      tip: [
        v.optional(moneySchema),
        'The part of it that is tip. Default: none; all of the tip, if there is one part alone.',
        '4.00',
      ],
    },
  },
);

export const sharePaymentBody = wireBody('Whose the payment is from now on.', {
  shares: [
    v.pipe(
      v.array(askedShare.schema),
      v.minLength(1, `must have 1 to ${maxShares} items`),
      v.maxLength(maxShares, `must have 1 to ${maxShares} items`),
    ),
    'Parts that add up to all that was captured and not given back.',
    [askedShare.example],
  ],
  leavesExcess: [
    v.optional(v.boolean()),
    'Whether a visit may get more than it owes. The rest is then its excess, which can be given back. Default: false.',
    false,
  ],
  note: [
    v.optional(noteSchema),
    'A note. It is stored, and shown with the sharing.',
    'The visit got a new id',
  ],
});

const visitShare = wireObject(
  'What a visit has of a payment.',
  {
    contactlessPaymentId: [
      resourceIdSchema,
      'The id of the payment.',
      sharing.example.contactlessPaymentId,
    ],
    paidAt: [resourceIdSchema, 'The visit that the payment was opened for.', 'appointment_8242'],
    barberId: [resourceIdSchema, 'The barber whose it is.', 'barber_ada'],
    amount: [moneySchema, 'The whole captured part.', '20.00'],
    left: [
      moneySchema,
      'The part that was not given back and is not withheld by a dispute.',
      '20.00',
    ],
    currency: [refundSchema.entries.currency, 'The currency of the payment.', 'eur'],
  },
  {
    tips: {
      tip: [
        v.exactOptional(moneySchema),
        'The part of it that is tip. Absent without one.',
        '4.00',
      ],
      leftTip: [
        v.exactOptional(moneySchema),
        'The part of what is left that is tip. Absent without one.',
        '4.00',
      ],
    },
  },
);

const visitShares = wireObject('What a visit has of the captured payments.', {
  items: [v.array(visitShare.schema), 'One for each payment and barber.', [visitShare.example]],
  count,
});
export const visitSharesSchema = visitShares.schema;

/** Whose a payment is from now on. */
export interface SharingView extends v.InferOutput<typeof sharingSchema> {}
/** What a visit has of the captured payments. */
export interface VisitSharesView extends v.InferOutput<typeof visitSharesSchema> {
  items: VisitShareView[];
}
/** What a visit has of one payment. */
export interface VisitShareView extends v.InferOutput<typeof visitShare.schema> {}
/** Whose the payment is from now on. */
export type SharePaymentBody = v.InferInput<typeof sharePaymentBody.schema>;
export type SharePaymentInput = v.InferOutput<typeof sharePaymentBody.schema>;

/** A part of an amount, as events and answers show it. */
export function toldShare({ appointmentId, barberId, amountMinor, tipMinor }: Part): EventShare {
  return {
    appointmentId,
    barberId,
    amount: formatMoney(amountMinor),
    ...(tipMinor !== 0n && { tip: formatMoney(tipMinor) }),
  };
}

type Sharing = Pick<ShareEntry, 'actId' | 'paymentId' | 'currency' | 'shares' | 'at'> & {
  readonly note?: string | undefined;
};

/** The sharing as it was recorded, so that a replay is identical byte for byte. */
export function viewSharing({
  actId,
  paymentId,
  currency,
  shares = [],
  note,
  at,
}: Sharing): SharingView {
  return {
    id: actId,
    contactlessPaymentId: paymentId,
    currency,
    shares: shares.map(toldShare),
    ...(note !== undefined && { note }),
    createdAt: formatTimestamp(at),
  };
}

export const shareShapes = {
  Sharing: sharing,
  PaymentShare: paymentShare,
  AskedShare: askedShare,
  SharePayment: sharePaymentBody,
  VisitShare: visitShare,
  VisitShares: visitShares,
  Currency: refundShapes.Currency,
};

export const shareTable = documentTable<ShareEntry>({
  id: (s) => s.id,
  version: (s) => s.version,
  appointment_id: (s) => s.appointmentId,
  business_id: (s) => s.businessId,
  payment_id: (s) => s.paymentId,
  at: (s) => s.at,
});

/** The payment as reads show it: with whose it is now. Replayed responses never have that. */
export function viewShared(payment: Payment): ContactlessPayment {
  const { shares } = payment;
  const view = viewPayment(payment);
  return shares === undefined ? view : { ...view, shares: sharesOf(payment).map(toldShare) };
}
