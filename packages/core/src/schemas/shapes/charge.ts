import { chargePaymentMethodBodySchema, chargeSchema, chargesSchema } from '../charge.ts';
import { contactlessPaymentShapes } from './contactless-payment.ts';
import { refundShapes } from './refund.ts';
import { objectShape, shape } from './shape.ts';
import { count } from './shared.ts';

const chargeShape = objectShape(chargeSchema, 'A charge of a saved payment method.', {
  id: ['The id of the charge.', 'chg_01jd3zk8q0e5v9h2m7x4r6t1bg'],
  appointmentId: ['The id of the appointment.', 'haircut'],
  purpose: ['The purpose of the charge.', 'noShow'],
  amount: ['The charged amount.', '20.00'],
  currency: ['The currency of the charge.', 'eur'],
  state: ['The state of the charge.', 'canceled'],
  refusal: ['Why it was refused. Present only in a refused charge.', 'customerMustAct'],
  paymentMethodSetupId: ['The setup that collected the method.', 'pms_01jd3zk8q0e5v9h2m7x4r6t1be'],
  agreedAt: ['When the customer agreed to be charged.', '2026-11-13T17:05:00.000Z'],
  agreementRef: ['The reference of the wording that the customer agreed to.', 'deposits-2026-11'],
  card: ['The charged card, where the processor shows it.', contactlessPaymentShapes.Card.example],
  capturedAt: ['The time of the capture.', '2026-11-20T10:30:01.000Z'],
  createdAt: ['The time of creation.', '2026-11-20T10:30:00.000Z'],
  updatedAt: ['The time of the last change.', '2026-11-20T10:30:01.000Z'],
});

const { refusal: _, ...withoutRefusal } = chargeShape.example;
/** A charge at the moment of most responses. */
export const chargedExample = { ...withoutRefusal, state: 'captured' } as const;

export const chargeShapes = {
  Charge: chargeShape,
  Charges: objectShape(chargesSchema, 'The charges of an appointment.', {
    items: ['The charges, oldest first, refused ones included.', [chargedExample]],
    count,
    excess: [
      'The amount of its deposits that is no longer due, less their refunds. Refund it to the customer.',
      '0.00',
    ],
  }),
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
    '`customerMustAct`: the bank wants the customer to authenticate. `declined`: the bank declined. `methodGone`: the processor no longer has the method.',
    'customerMustAct',
  ),
  Card: contactlessPaymentShapes.Card,
  CardNetwork: contactlessPaymentShapes.CardNetwork,
  CardFundingType: contactlessPaymentShapes.CardFundingType,
  CardTokenizationMethod: contactlessPaymentShapes.CardTokenizationMethod,
  Currency: refundShapes.Currency,
  ChargePaymentMethod: objectShape(
    chargePaymentMethodBodySchema,
    'What to charge, and the agreement of the customer.',
    {
      purpose: ['The purpose of the charge.', 'noShow'],
      amount: ['The amount to charge.', '20.00'],
      paymentMethodSetupId: [
        'The completed setup whose method is charged.',
        chargedExample.paymentMethodSetupId,
      ],
      agreedAt: ['When the customer agreed to be charged.', chargedExample.agreedAt],
      agreementRef: [
        'Your reference of the wording that the customer agreed to. It is kept as evidence in a dispute.',
        chargedExample.agreementRef,
      ],
    },
  ),
};
