import * as v from 'valibot';
import { cardSchema, contactlessPaymentExample } from '../payment/wire.ts';
import { refundStates } from '../refund/refund.ts';
import { refundSchema, refundShapes } from '../refund/wire.ts';
import { tenderSchema, tenderShapes } from '../tender/wire.ts';
import { moneySchema, resourceIdSchema, timestampSchema, wireObject } from '../values/wire.ts';

const refund = wireObject(
  "A refund, as the customer's receipt shows it.",
  {
    amount: [moneySchema, 'The amount that goes back.', '10.00'],
    state: [v.picklist(refundStates), 'The state of the refund.', 'succeeded'],
    createdAt: [timestampSchema, 'The time of creation.', '2026-11-20T10:30:00.000Z'],
  },
  {
    tips: {
      tip: [
        v.exactOptional(moneySchema),
        'The part of the amount that is tip. Absent without one.',
        '2.00',
      ],
    },
  },
);

const { kind, amount, currency, createdAt } = tenderSchema.entries;
const tender = wireObject("Money without a card, as the customer's receipt shows it.", {
  kind: [kind, 'How it was paid or given back.', 'cash'],
  amount: [amount, 'The amount.', '20.00'],
  currency: [currency, 'The currency of the amount.', 'eur'],
  createdAt: [createdAt, 'When it was recorded.', '2026-11-20T09:31:00.000Z'],
  contactlessPaymentId: [
    v.exactOptional(resourceIdSchema),
    'The card payment for which cash was given back, because its refund had failed.',
    contactlessPaymentExample.id,
  ],
});
const { contactlessPaymentId: _, ...tenderExample } = tender.example;

const visit = wireObject(
  'A visit that a payment pays.',
  {
    appointmentId: [resourceIdSchema, 'The id of the visit.', 'appointment_8241'],
    barberName: [v.exactOptional(v.string()), 'The barber, if the name is known.', 'Ben Okafor'],
    amount: [moneySchema, 'The part of the payment for it.', '20.00'],
  },
  {
    tips: {
      tip: [
        v.exactOptional(moneySchema),
        'The part of it that is tip. Absent without one.',
        '4.00',
      ],
    },
  },
);

export const verificationSchema = v.picklist(['none', 'signature', 'pin', 'device', 'other']);

/** A text of the card's chip or of its issuer, as the processor gives it. */
const shown = v.exactOptional(v.string());

const receipt = wireObject(
  'What a receipt of a card payment must show. Members that the processor does not give are absent.',
  {
    contactlessPaymentId: [
      resourceIdSchema,
      'The id of the payment.',
      contactlessPaymentExample.id,
    ],
    shopName: [v.string(), 'The name of the business.', 'Marlow & Sons'],
    locationName: [v.string(), 'The name of the place.', 'Old Town'],
    barberName: [v.string(), 'The barber, as customers know them.', 'Ada Marlow'],
    timeZone: [v.exactOptional(v.string()), 'The IANA time zone of the shop.', 'Europe/Berlin'],
    amount: [moneySchema, "The captured amount, by the processor's books.", '45.00'],
    currency: [refundSchema.entries.currency, 'ISO 4217, lower case.', 'eur'],
    capturedAt: [timestampSchema, 'The time of the capture.', '2026-11-20T09:30:42.000Z'],
    refunds: [
      v.array(refund.schema),
      'The refunds that took place or are pending, oldest first.',
      [refund.example],
    ],
    tenders: [
      v.exactOptional(v.array(tender.schema)),
      'What was paid for the visit without a card, oldest first. Absent if nothing was.',
      [tenderExample],
    ],
    returns: [
      v.exactOptional(v.array(tender.schema)),
      'What was given back without a card, oldest first. Absent if nothing was.',
      [{ ...tenderExample, amount: '5.00', createdAt: '2026-11-20T10:30:00.000Z' }],
    ],
    card: [v.exactOptional(cardSchema), 'The presented card.', contactlessPaymentExample.card],
    applicationPreferredName: [shown, "The name of the card's application.", 'VISA CREDIT'],
    applicationIdentifier: [
      shown,
      "The identifier of the card's application (AID), in hex.",
      'A0000000031010',
    ],
    accountType: [shown, 'The account that the card drew on.', 'credit'],
    authorizationCode: [shown, "The issuer's code of the authorization.", '123456'],
    authorizationResponseCode: [shown, "The issuer's answer, in hex.", '3030'],
    applicationCryptogramType: [shown, "The type of the card's cryptogram.", 'TC'],
    applicationCryptogram: [shown, "The card's cryptogram, in hex.", '9F26A1B2C3D4E5F6'],
    terminalVerificationResults: [shown, "The terminal's checks (TVR), in hex.", '0000008000'],
    transactionStatusInformation: [shown, 'The steps that were taken (TSI), in hex.', 'E800'],
    cardholderVerification: [
      v.exactOptional(verificationSchema),
      'How the customer was verified.',
      'none',
    ],
  },
  {
    tips: {
      tip: [
        v.exactOptional(moneySchema),
        'The part of the amount that is tip. Absent without one.',
        '5.00',
      ],
    },
    shares: {
      visits: [
        v.exactOptional(v.array(visit.schema)),
        'What the payment paid for, where it belongs to several visits or barbers.',
        [visit.example],
      ],
    },
  },
);
export const receiptSchema = receipt.schema;

/** The content of a card-present receipt. Amounts are in `currency`. */
export interface Receipt extends v.InferOutput<typeof receiptSchema> {}
/** A refund, as the customer's receipt shows it. */
export interface ReceiptRefund extends v.InferOutput<typeof refund.schema> {}

export const receiptShapes = {
  Receipt: receipt,
  ReceiptRefund: refund,
  ReceiptVisit: visit,
  ReceiptTender: tender,
  TenderKind: tenderShapes.TenderKind,
  Currency: refundShapes.Currency,
};
