import * as v from 'valibot';
import type { AppointmentReference } from '../host/host.ts';
import { appointmentReference, barberReference, shopLocationReference } from '../host/wire.ts';
import { formatMoney } from '../values/money.ts';
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
import {
  type Card,
  cardNetworks,
  fundingTypes,
  openLifetimeMs,
  type Payment,
  type PaymentState,
  paymentStates,
  tokenizationMethods,
} from './payment.ts';

const card = wireObject('A presented card.', {
  maskedPersonalAccountNumber: [
    v.pipe(v.string(), v.regex(/^\*[0-9]{4}$/)),
    'An asterisk and the last four digits.',
    '*4242',
  ],
  network: [v.picklist(cardNetworks), 'The card network.', 'network_a'],
  fundingType: [v.picklist(fundingTypes), 'The way in which the card is funded.', 'credit'],
  expirationMonth: [
    v.pipe(v.string(), v.regex(/^(?:0[1-9]|1[0-2])$/)),
    'The month of expiry, from `01` to `12`.',
    '04',
  ],
  expirationYear: [
    v.pipe(v.string(), v.regex(/^[0-9]{4}$/)),
    'The year of expiry, with four digits.',
    '2029',
  ],
  tokenizationMethod: [
    v.exactOptional(v.picklist(tokenizationMethods)),
    'The digital wallet. Absent for a plastic card.',
    'wallet_method_a',
  ],
});
export const cardSchema = card.schema;

const externalPaymentReference = wireBody(
  "The processor's reference of a payment. The processor's SDK returns it.",
  {
    id: [text(1, 255), "The payment's id in the processor's system.", 'pi_3Q'],
    paymentProcessor: [v.picklist(['processor_a']), 'The processor.', 'processor_a'],
  },
);
export const externalPaymentReferenceSchema = externalPaymentReference.schema;

export const paymentShare = wireObject(
  'The part of a payment that belongs to one visit and barber.',
  {
    appointmentId: [resourceIdSchema, 'The id of the visit.', 'appointment_8241'],
    barberId: [resourceIdSchema, 'The id of the barber.', 'barber_ada'],
    amount: [moneySchema, 'The whole amount of the part.', '20.00'],
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

const alsoPaid = wireBody('Another visit that the payment pays.', {
  appointmentId: [
    resourceIdSchema,
    'The id of the visit. It is of the same business.',
    'appointment_8242',
  ],
  amount: [
    moneySchema,
    'The part of the payment for this visit, at most what it still owes.',
    '20.00',
  ],
});

const contactlessPayment = wireObject(
  'An in-person card payment of an appointment.',
  {
    id: [resourceIdSchema, 'The id of the payment.', 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc'],
    appointment: [
      appointmentReference.schema,
      'The appointment, as it was when the payment was created.',
      appointmentReference.example,
    ],
    amount: [moneySchema, 'The amount to collect.', '45.00'],
    state: [v.picklist(paymentStates), 'The state of the payment.', 'captured'],
    externalPaymentReference: [
      v.exactOptional(externalPaymentReferenceSchema),
      "The processor's reference. Present once a card was presented.",
      externalPaymentReference.example,
    ],
    clientSecret: [
      v.string(),
      "The secret for the processor's SDK, which collects the card. Never log it.",
      'pi_3Q_secret_8Zk',
    ],
    card: [v.exactOptional(cardSchema), 'The presented card.', card.example],
    authorizedAt: [
      v.exactOptional(timestampSchema),
      'The time of the authorization.',
      '2026-11-20T09:30:40.000Z',
    ],
    capturedAt: [
      v.exactOptional(timestampSchema),
      'The time of the capture.',
      '2026-11-20T09:30:42.000Z',
    ],
    expiresAt: [
      v.exactOptional(timestampSchema),
      'The time at which the payment expires if it is not captured before.',
      '2026-11-20T09:45:00.000Z',
    ],
    createdAt: [timestampSchema, 'The time of creation.', '2026-11-20T09:30:00.000Z'],
    updatedAt: [timestampSchema, 'The time of the last change.', '2026-11-20T09:30:42.000Z'],
  },
  {
    tips: {
      tip: [
        v.exactOptional(moneySchema),
        'The part of the amount that is tip. Absent without a tip.',
        '5.00',
      ],
    },
    shares: {
      shares: [
        v.exactOptional(v.array(paymentShare.schema)),
        'Whose the captured amount is now, or the amount to capture. Absent while all of it belongs to the appointment and its barber; only reads show it.',
        [paymentShare.example],
      ],
    },
  },
);
export const contactlessPaymentSchema = contactlessPayment.schema;
export const contactlessPaymentExample = contactlessPayment.example;

const contactlessPayments = wireObject('The payments of an appointment.', {
  items: [
    v.array(contactlessPaymentSchema),
    'The payments, oldest first.',
    [contactlessPayment.example],
  ],
  count,
});
export const contactlessPaymentsSchema = contactlessPayments.schema;

export const createContactlessPaymentBody = wireBody(
  'The amount of a new payment.',
  {
    amount: [
      v.optional(moneySchema),
      'The amount to collect. Default: what the appointment still owes.',
      contactlessPayment.example.amount,
    ],
  },
  {
    tips: {
      tip: [
        v.optional(moneySchema),
        'The part of the amount that is tip, which nobody owes. Default: none. Without an `amount` it is added to what the appointment still owes.',
        '5.00',
      ],
    },
    shares: {
      alsoPays: [
        v.optional(
          v.pipe(
            v.array(alsoPaid.schema),
            v.minLength(1, 'must have 1 to 19 items'),
            v.maxLength(19, 'must have 1 to 19 items'),
          ),
        ),
        'Other visits that the same card pays. `amount` is all that the card is charged; without it, it is what the appointment still owes, the tip and the amounts of these visits.',
        [alsoPaid.example],
      ],
    },
  },
);

export const captureContactlessPaymentBody = wireBody('The reference of the payment to capture.', {
  externalPaymentReference: [
    externalPaymentReferenceSchema,
    "The reference that the processor's SDK returned when the card was presented.",
    externalPaymentReference.example,
  ],
});

/**
 * An in-person card payment of an appointment, in the clients' view (spec "ContactlessPayment").
 */
export interface ContactlessPayment extends v.InferOutput<typeof contactlessPaymentSchema> {
  readonly appointment: AppointmentReference;
  state: PaymentState;
  externalPaymentReference?: ExternalPaymentReference;
  card?: Card;
  /** The part of the amount that is tip, where the host takes tips. Absent without one. */
  tip?: string;
}
/** The processor's reference of a payment. */
export interface ExternalPaymentReference
  extends v.InferOutput<typeof externalPaymentReferenceSchema> {}
/** The card payments of an appointment, oldest first. */
export interface ContactlessPayments extends v.InferOutput<typeof contactlessPaymentsSchema> {
  items: ContactlessPayment[];
}
/** The part of a payment that belongs to one visit and barber. */
export interface PaymentShareView extends v.InferOutput<typeof paymentShare.schema> {}
/** The amount of a payment, and its tip. Without an amount it is what the appointment still owes. */
export interface CreateContactlessPaymentBody
  extends v.InferInput<typeof createContactlessPaymentBody.schema> {}
/** The reference that the SDK returned after the card was presented. */
export interface CaptureContactlessPaymentBody
  extends v.InferInput<typeof captureContactlessPaymentBody.schema> {
  externalPaymentReference: ExternalPaymentReference;
}

const { id, appointment, amount, clientSecret, expiresAt, createdAt } = contactlessPayment.example;
/** A payment at the moment of its creation. */
export const createdPaymentExample = {
  id,
  appointment,
  amount,
  state: 'created',
  clientSecret,
  expiresAt,
  createdAt,
  updatedAt: createdAt,
};

export const contactlessPaymentShapes = {
  ContactlessPayment: contactlessPayment,
  ContactlessPayments: contactlessPayments,
  ContactlessPaymentState: shape(
    contactlessPaymentSchema.entries.state,
    'The state of a payment. `created`, `processing`, `authorized` and `failed` are open: a `failed` payment takes another card. `captured` and `canceled` are final.',
    contactlessPayment.example.state,
  ),
  AppointmentReference: appointmentReference,
  BarberReference: barberReference,
  ShopLocationReference: shopLocationReference,
  Card: card,
  CardNetwork: shape(
    cardSchema.entries.network,
    'The card network. The deployment maps its networks to `network_a` to `network_d`.',
    card.example.network,
  ),
  CardFundingType: shape(
    cardSchema.entries.fundingType,
    'The way in which a card is funded.',
    card.example.fundingType,
  ),
  CardTokenizationMethod: shape(
    cardSchema.entries.tokenizationMethod.wrapped,
    'A digital wallet. The deployment maps its wallets to `wallet_method_a` to `wallet_method_d`.',
    card.example.tokenizationMethod,
  ),
  ExternalPaymentReference: externalPaymentReference,
  PaymentProcessor: shape(
    externalPaymentReferenceSchema.entries.paymentProcessor,
    'The payment processor.',
    externalPaymentReference.example.paymentProcessor,
  ),
  PaymentShare: paymentShare,
  AlsoPaid: alsoPaid,
  CreateContactlessPayment: createContactlessPaymentBody,
  CaptureContactlessPayment: captureContactlessPaymentBody,
};

export function viewPayment(payment: Payment): ContactlessPayment {
  const { state, reference, card, authorizedAt, capturedAt } = payment;
  const view = paymentViewIn(state, payment, payment.expiresAt, payment.updatedAt);
  // Clients learn the reference from the processor's SDK, so an earlier reference is of no use to them.
  if (state !== 'created' && reference !== undefined) {
    view.externalPaymentReference = { id: reference, paymentProcessor: 'processor_a' };
  }
  if (card !== undefined) view.card = viewCard(card);
  if (authorizedAt !== undefined) view.authorizedAt = formatTimestamp(authorizedAt);
  // A capture that only a person's word recorded may be canceled (D201).
  if (capturedAt !== undefined && state === 'captured') {
    view.capturedAt = formatTimestamp(capturedAt);
  }
  return view;
}

export function viewCard(card: Card): Card {
  const { maskedPersonalAccountNumber, network, fundingType, tokenizationMethod } = card;
  const { expirationMonth, expirationYear } = card;
  return {
    maskedPersonalAccountNumber,
    network,
    fundingType,
    expirationMonth,
    expirationYear,
    ...(tokenizationMethod !== undefined && { tokenizationMethod }),
  };
}

/**
 * The payment as it was first returned. It uses only fields that never change, so that a replay is
 * identical byte for byte without a stored copy (D21).
 */
export function viewOpening(payment: Payment): ContactlessPayment {
  const { createdAt } = payment;
  return paymentViewIn('created', payment, createdAt + openLifetimeMs, createdAt);
}

function paymentViewIn(
  state: PaymentState,
  payment: Payment,
  expiresAt: EpochMs,
  updatedAt: EpochMs,
): ContactlessPayment {
  const view: ContactlessPayment = {
    id: payment.id,
    appointment: payment.appointment,
    amount: formatMoney(payment.amountMinor),
    state,
    // Clients see only opened payments, which have a secret.
    clientSecret: payment.clientSecret ?? '',
    expiresAt: formatTimestamp(expiresAt),
    createdAt: formatTimestamp(payment.createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
  if (payment.tipMinor !== undefined) view.tip = formatMoney(payment.tipMinor);
  return view;
}
