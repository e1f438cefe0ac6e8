import * as v from 'valibot';
import type { Card } from '../domain/card.ts';
import { chargePurposes, chargeRefusals } from '../domain/charge.ts';
import { paymentStates } from '../domain/payment.ts';
import { cardSchema } from './contactless-payment.ts';
import { refundSchema } from './refund.ts';
import { countSchema, moneySchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

export const chargePaymentMethodBodySchema = v.strictObject({
  purpose: v.picklist(chargePurposes),
  amount: moneySchema,
  paymentMethodSetupId: resourceIdSchema,
  agreedAt: timestampSchema,
  agreementRef: text(1, 255),
});

export const chargeSchema = v.object({
  id: resourceIdSchema,
  appointmentId: resourceIdSchema,
  purpose: v.picklist(chargePurposes),
  amount: moneySchema,
  currency: refundSchema.entries.currency,
  state: v.picklist(paymentStates),
  refusal: v.exactOptional(v.picklist(chargeRefusals)),
  paymentMethodSetupId: resourceIdSchema,
  agreedAt: timestampSchema,
  agreementRef: text(1, 255),
  card: v.exactOptional(cardSchema),
  capturedAt: v.exactOptional(timestampSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const chargesSchema = v.object({
  items: v.array(chargeSchema),
  count: countSchema,
  excess: moneySchema,
});

/** A charge of a saved method, in the clients' view (D49). */
export interface ChargeView extends v.InferOutput<typeof chargeSchema> {
  card?: Card;
}
/** The charges of an appointment, oldest first, and what its deposits exceed the amount due by. */
export interface ChargesView extends v.InferOutput<typeof chargesSchema> {
  items: ChargeView[];
}
export interface ChargePaymentMethodBody
  extends v.InferInput<typeof chargePaymentMethodBodySchema> {}
