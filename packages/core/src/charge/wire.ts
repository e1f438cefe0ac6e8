import * as v from 'valibot';
import {
  type Card,
  chargeRefusalOf,
  type OpenedPayment,
  paymentStates,
} from '../payment/payment.ts';
import { cardSchema, contactlessPaymentShapes, viewCard } from '../payment/wire.ts';
import { refundSchema, refundShapes } from '../refund/wire.ts';
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
import { chargePurposes, chargeRefusals } from './charge.ts';

const charge = wireObject('A charge of a saved payment method.', {
  id: [resourceIdSchema, 'The id of the charge.', 'chg_01jd3zk8q0e5v9h2m7x4r6t1bg'],
  appointmentId: [resourceIdSchema, 'The id of the appointment.', 'haircut'],
  purpose: [v.picklist(chargePurposes), 'The purpose of the charge.', 'noShow'],
  amount: [moneySchema, 'The charged amount.', '20.00'],
  currency: [refundSchema.entries.currency, 'The currency of the charge.', 'eur'],
  state: [v.picklist(paymentStates), 'The state of the charge.', 'canceled'],
  refusal: [
    v.exactOptional(v.picklist(chargeRefusals)),
    'Why it was refused. Present only in a refused charge.',
    'customerMustAct',
  ],
  paymentMethodSetupId: [
    resourceIdSchema,
    'The setup that collected the method.',
    'pms_01jd3zk8q0e5v9h2m7x4r6t1be',
  ],
  agreedAt: [
    timestampSchema,
    'When the customer agreed to be charged.',
    '2026-11-13T17:05:00.000Z',
  ],
  agreementRef: [
    text(1, 255),
    'The reference of the wording that the customer agreed to.',
    'deposits-2026-11',
  ],
  card: [
    v.exactOptional(cardSchema),
    'The charged card, where the processor shows it.',
    contactlessPaymentShapes.Card.example,
  ],
  capturedAt: [
    v.exactOptional(timestampSchema),
    'The time of the capture.',
    '2026-11-20T10:30:01.000Z',
  ],
  createdAt: [timestampSchema, 'The time of creation.', '2026-11-20T10:30:00.000Z'],
  updatedAt: [timestampSchema, 'The time of the last change.', '2026-11-20T10:30:01.000Z'],
});
export const chargeSchema = charge.schema;

const { refusal: _, ...withoutRefusal } = charge.example;
/** A charge at the moment of most responses. */
export const chargedExample = { ...withoutRefusal, state: 'captured' } as const;

const charges = wireObject('The charges of an appointment.', {
  items: [
    v.array(chargeSchema),
    'The charges, oldest first, refused ones included.',
    [chargedExample],
  ],
  count,
  excess: [
    v.exactOptional(moneySchema),
    'What all payments of the appointment have kept beyond the amount due. Give it back to the customer.',
    '0.00',
  ],
  currencyChanged: [
    v.exactOptional(v.boolean()),
    'Present instead of `excess` if the amount due is in another currency than the payments.',
    true,
  ],
});
export const chargesSchema = charges.schema;

export const chargePaymentMethodBody = wireBody(
  'What to charge, and the agreement of the customer.',
  {
    purpose: [v.picklist(chargePurposes), 'The purpose of the charge.', 'noShow'],
    amount: [moneySchema, 'The amount to charge.', '20.00'],
    paymentMethodSetupId: [
      resourceIdSchema,
      'The completed setup whose method is charged.',
      charge.example.paymentMethodSetupId,
    ],
    agreedAt: [timestampSchema, 'When the customer agreed to be charged.', charge.example.agreedAt],
    agreementRef: [
      text(1, 255),
      'Your reference of the wording that the customer agreed to. It is kept as evidence in a dispute.',
      charge.example.agreementRef,
    ],
  },
);

/** A charge of a saved method, in the clients' view. */
export interface ChargeView extends v.InferOutput<typeof chargeSchema> {
  card?: Card;
}
/** The charges of an appointment, oldest first, and what its payments have kept beyond the amount due. */
export interface ChargesView extends v.InferOutput<typeof chargesSchema> {
  items: ChargeView[];
}
/** What to charge, for which purpose, and the agreement of the customer. */
export interface ChargePaymentMethodBody
  extends v.InferInput<typeof chargePaymentMethodBody.schema> {}

export const chargeShapes = {
  Charge: charge,
  Charges: charges,
  ChargePurpose: shape(
    chargeSchema.entries.purpose,
    '`deposit`: before the visit, as a part of the amount due. `noShow`: the fee for a missed visit.',
    chargedExample.purpose,
  ),
  ChargeState: shape(
    chargeSchema.entries.state,
    'The state of a charge, as of a payment. Money has moved in `captured` alone. A refused charge is `canceled`.',
    chargedExample.state,
  ),
  ChargeRefusal: shape(
    chargeSchema.entries.refusal.wrapped,
    '`customerMustAct`: the bank wants the customer to authenticate. `declined`: the bank declined. `cardUnusable`: the bank will not accept the card again. `methodGone`: the processor no longer has the method.',
    'customerMustAct',
  ),
  Card: contactlessPaymentShapes.Card,
  CardNetwork: contactlessPaymentShapes.CardNetwork,
  CardFundingType: contactlessPaymentShapes.CardFundingType,
  CardTokenizationMethod: contactlessPaymentShapes.CardTokenizationMethod,
  Currency: refundShapes.Currency,
  ChargePaymentMethod: chargePaymentMethodBody,
};

export type OpenedCharge = OpenedPayment & Required<Pick<OpenedPayment, 'charge'>>;

export function viewCharge(payment: OpenedCharge): ChargeView {
  const { id, appointment, amountMinor, currency, state, charge, card, capturedAt } = payment;
  const refusal = state === 'canceled' ? chargeRefusalOf(payment) : undefined;
  return {
    id,
    appointmentId: appointment.id,
    purpose: charge.purpose,
    amount: formatMoney(amountMinor),
    currency,
    state,
    ...(refusal !== undefined && { refusal }),
    paymentMethodSetupId: charge.setupId,
    agreedAt: formatTimestamp(charge.agreedAt),
    agreementRef: charge.agreementRef,
    ...(card !== undefined && { card: viewCard(card) }),
    ...(capturedAt !== undefined &&
      state === 'captured' && { capturedAt: formatTimestamp(capturedAt) }),
    createdAt: formatTimestamp(payment.createdAt),
    updatedAt: formatTimestamp(payment.updatedAt),
  };
}
