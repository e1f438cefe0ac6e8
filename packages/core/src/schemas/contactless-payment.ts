import * as v from 'valibot';
import type { AppointmentReference } from '../domain/appointment.ts';
import { type Card, cardNetworks, fundingTypes, tokenizationMethods } from '../domain/card.ts';
import { type PaymentState, paymentStates } from '../domain/payment.ts';
import { appointmentReferenceSchema } from './appointment.ts';
import { countSchema, moneySchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

export const cardSchema = v.object({
  maskedPersonalAccountNumber: v.pipe(v.string(), v.regex(/^\*[0-9]{4}$/)),
  network: v.picklist(cardNetworks),
  fundingType: v.picklist(fundingTypes),
  expirationMonth: v.pipe(v.string(), v.regex(/^(?:0[1-9]|1[0-2])$/)),
  expirationYear: v.pipe(v.string(), v.regex(/^[0-9]{4}$/)),
  tokenizationMethod: v.exactOptional(v.picklist(tokenizationMethods)),
});

export const externalPaymentReferenceSchema = v.strictObject({
  id: text(1, 255),
  paymentProcessor: v.picklist(['processor_a']),
});

export const contactlessPaymentSchema = v.object({
  id: resourceIdSchema,
  appointment: appointmentReferenceSchema,
  amount: moneySchema,
  state: v.picklist(paymentStates),
  externalPaymentReference: v.exactOptional(externalPaymentReferenceSchema),
  clientSecret: v.string(),
  card: v.exactOptional(cardSchema),
  authorizedAt: v.exactOptional(timestampSchema),
  capturedAt: v.exactOptional(timestampSchema),
  expiresAt: v.exactOptional(timestampSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

/** A payment where tips are switched on (D48). */
export const tippedPaymentSchema = v.object({
  ...contactlessPaymentSchema.entries,
  tip: v.exactOptional(moneySchema),
});

export const tippedPaymentsSchema = v.object({
  items: v.array(tippedPaymentSchema),
  count: countSchema,
});

export const contactlessPaymentsSchema = v.object({
  items: v.array(contactlessPaymentSchema),
  count: countSchema,
});

export const createContactlessPaymentBodySchema = v.strictObject({
  amount: v.optional(moneySchema),
});

export const createTippedPaymentBodySchema = v.strictObject({
  amount: v.optional(moneySchema),
  tip: v.optional(moneySchema),
});

export const captureContactlessPaymentBodySchema = v.strictObject({
  externalPaymentReference: externalPaymentReferenceSchema,
});

/**
 * An in-person card payment of an appointment, in the clients' view (spec "ContactlessPayment").
 */
export interface ContactlessPayment extends v.InferOutput<typeof contactlessPaymentSchema> {
  readonly appointment: AppointmentReference;
  state: PaymentState;
  externalPaymentReference?: ExternalPaymentReference;
  card?: Card;
}
/** A payment that may have a tip (D48). */
export interface TippedPayment extends ContactlessPayment {
  /** The part of the amount that is tip. Absent without one. */
  tip?: string;
}
export interface TippedPayments extends ContactlessPayments {
  items: TippedPayment[];
}
export interface CreateTippedPaymentBody
  extends v.InferInput<typeof createTippedPaymentBodySchema> {}
/** The processor's reference of a payment. */
export interface ExternalPaymentReference
  extends v.InferOutput<typeof externalPaymentReferenceSchema> {}
export interface ContactlessPayments extends v.InferOutput<typeof contactlessPaymentsSchema> {
  items: ContactlessPayment[];
}
export interface CreateContactlessPaymentBody
  extends v.InferInput<typeof createContactlessPaymentBodySchema> {}
export interface CaptureContactlessPaymentBody
  extends v.InferInput<typeof captureContactlessPaymentBodySchema> {
  externalPaymentReference: ExternalPaymentReference;
}
