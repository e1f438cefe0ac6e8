import * as v from 'valibot';
import { paymentShare } from '../payment/wire.ts';
import { refundSchema, refundShapes } from '../refund/wire.ts';
import { toldShare } from '../share/wire.ts';
import { documentTable } from '../storage/columns.ts';
import { formatMoney } from '../values/money.ts';
import { formatTimestamp } from '../values/time.ts';
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
import { type Tender, tenderKinds } from './tender.ts';

const kindSchema = v.picklist(tenderKinds);
const currencySchema = refundSchema.entries.currency;
const noteSchema = text(1, 255);

const tender = wireObject('What was paid for an appointment without a card.', {
  id: [resourceIdSchema, 'The id of the tender.', 'tnd_01jd3zk8q0e5v9h2m7x4r6t1bk'],
  appointmentId: [resourceIdSchema, 'The id of the appointment.', 'appointment_8241'],
  kind: [kindSchema, 'How it was paid.', 'cash'],
  amount: [moneySchema, 'The amount that was paid.', '20.00'],
  currency: [currencySchema, 'The currency of the amount.', 'eur'],
  returned: [moneySchema, 'The part of the amount that was given back.', '5.00'],
  note: [v.exactOptional(noteSchema), 'The note of the shop.', 'Paid at the front desk'],
  createdAt: [timestampSchema, 'When it was recorded.', '2026-11-20T09:31:00.000Z'],
  voidedAt: [
    v.exactOptional(timestampSchema),
    'When it was voided, because it was recorded by mistake. A voided tender counts for nothing.',
    '2026-11-20T09:35:00.000Z',
  ],
});
export const tenderSchema = tender.schema;

const { voidedAt: _, ...recorded } = tender.example;
/** A tender at the moment of most responses. */
export const recordedExample = { ...recorded, returned: '0.00' };

const tenderReturn = wireObject(
  'What was given back without a card.',
  {
    id: [resourceIdSchema, 'The id of the return.', 'tnd_01jd3zk8q0e5v9h2m7x4r6t1bm'],
    tenderId: [
      v.exactOptional(resourceIdSchema),
      'The tender that was given back. Absent for cash that stands in for the failed refund of a card payment.',
      tender.example.id,
    ],
    contactlessPaymentId: [
      v.exactOptional(resourceIdSchema),
      'The card payment whose refund failed, so that cash was given back instead.',
      'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
    ],
    appointmentId: [resourceIdSchema, 'The id of the appointment.', 'appointment_8241'],
    kind: [kindSchema, 'How it was given back: as it was paid.', 'cash'],
    amount: [moneySchema, 'The amount that was given back.', '5.00'],
    currency: [currencySchema, 'The currency of the amount.', 'eur'],
    note: [v.exactOptional(noteSchema), 'The note of the shop.', 'The cut was too short'],
    createdAt: [timestampSchema, 'When it was recorded.', '2026-11-20T10:30:00.000Z'],
  },
  {
    shares: {
      shares: [
        v.exactOptional(v.array(paymentShare.schema)),
        'Whose money it was, of a card payment that was shared.',
        [paymentShare.example],
      ],
    },
  },
);
export const tenderReturnSchema = tenderReturn.schema;

const { contactlessPaymentId: __, ...returned } = tenderReturn.example;
export const returnedExample = returned;

const tenders = wireObject(
  'What was paid for an appointment without a card, and what still remains.',
  {
    items: [v.array(tenderSchema), 'The newest 1,000 tenders, oldest first.', [recordedExample]],
    count,
    returns: [v.array(tenderReturnSchema), 'What was given back, oldest first.', [returnedExample]],
    tendered: [
      moneySchema,
      'The sum that counts towards the amount due: all tenders that are not voided.',
      '20.00',
    ],
    reserved: [
      moneySchema,
      'The amount of card payments that are being captured. Until they end, only the rest of `remaining` can be tendered.',
      '0.00',
    ],
    remaining: [
      v.exactOptional(moneySchema),
      'What the appointment still owes. Absent if it was paid in another currency.',
      '25.00',
    ],
  },
);
export const tendersSchema = tenders.schema;

export const recordTenderBody = wireBody('What was paid without a card.', {
  kind: [kindSchema, 'How it was paid.', 'cash'],
  amount: [
    moneySchema,
    'The amount that was paid, at most what the appointment still owes.',
    '20.00',
  ],
  note: [
    v.optional(noteSchema),
    'A note. It is stored, and shown with the tender.',
    tender.example.note,
  ],
});

export const returnTenderBody = wireBody('The amount that is given back, and why.', {
  amount: [v.optional(moneySchema), 'The amount. Default: all that is left of the tender.', '5.00'],
  note: [
    v.optional(noteSchema),
    'A note. It is stored, and shown with the return.',
    tenderReturn.example.note,
  ],
});

/** What was paid without a card, in the clients' view. */
export interface TenderView extends v.InferOutput<typeof tenderSchema> {}
/** What was given back without a card, in the clients' view. */
export interface TenderReturnView extends v.InferOutput<typeof tenderReturnSchema> {}
/** The tenders of an appointment, and what it still owes. */
export interface TendersView extends v.InferOutput<typeof tendersSchema> {
  items: TenderView[];
  returns: TenderReturnView[];
}
/** What was paid without a card, and how. */
export type RecordTenderBody = v.InferInput<typeof recordTenderBody.schema>;
/** How much goes back, and why. */
export type ReturnTenderBody = v.InferInput<typeof returnTenderBody.schema>;

export function viewTender(tender: Tender): TenderView {
  const view = { ...viewRecorded(tender), returned: formatMoney(tender.returnedMinor) };
  const { voidedAt } = tender;
  return voidedAt === undefined ? view : { ...view, voidedAt: formatTimestamp(voidedAt) };
}

/** The tender as it was recorded, so that a replay is identical byte for byte. */
export function viewRecorded({ id, appointmentId, kind, ...tender }: Tender): TenderView {
  const { amountMinor, currency, note, at } = tender;
  return {
    id,
    appointmentId,
    kind,
    amount: formatMoney(amountMinor),
    currency,
    returned: formatMoney(0n),
    ...(note !== undefined && { note }),
    createdAt: formatTimestamp(at),
  };
}

export function viewReturn({ id, tenderId, paymentId, ...tender }: Tender): TenderReturnView {
  const { appointmentId, kind, amountMinor, currency, note, at, parts } = tender;
  return {
    id,
    ...(tenderId !== undefined && { tenderId }),
    ...(paymentId !== undefined && { contactlessPaymentId: paymentId }),
    appointmentId,
    kind,
    amount: formatMoney(amountMinor),
    currency,
    ...(note !== undefined && { note }),
    createdAt: formatTimestamp(at),
    ...(parts !== undefined && { shares: parts.map(toldShare) }),
  };
}

export const tenderShapes = {
  Tender: tender,
  Tenders: tenders,
  TenderReturn: tenderReturn,
  TenderKind: shape(kindSchema, 'How something was paid without a card.', 'cash'),
  Currency: refundShapes.Currency,
  RecordTender: recordTenderBody,
  ReturnTender: returnTenderBody,
};

export const tenderTable = documentTable<Tender>({
  id: (t) => t.id,
  version: (t) => t.version,
  appointment_id: (t) => t.appointmentId,
  business_id: (t) => t.businessId,
  payment_id: (t) => t.paymentId,
  at: (t) => t.at,
});
