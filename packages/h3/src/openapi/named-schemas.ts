import {
  appointmentReferenceSchema,
  barberReferenceSchema,
  businessPayoutPreferencesSchema,
  captureContactlessPaymentBodySchema,
  cardSchema,
  challengeMethodsSchema,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
  countSchema,
  createContactlessPaymentBodySchema,
  emailAddressSchema,
  externalPaymentReferenceSchema,
  idempotencyKeySchema,
  moneySchema,
  nestedProblemSchema,
  paymentMethodSetupSchema,
  payoutSettingsSchema,
  phoneNumberSchema,
  preparePaymentMethodBodySchema,
  problemSchema,
  recoverySchema,
  refundPaymentBodySchema,
  refundSchema,
  refundsSchema,
  registerTerminalBodySchema,
  resourceIdSchema,
  shopLocationReferenceSchema,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
  timestampSchema,
} from '@chairside/core';
import type { GenericSchema } from 'valibot';
import * as v from 'valibot';

// Clients must tolerate members of a problem that they do not know.
const looseNestedProblemSchema = v.object(nestedProblemSchema.entries);
const looseProblemSchema = v.object({
  ...problemSchema.entries,
  problems: v.exactOptional(v.pipe(v.array(looseNestedProblemSchema), v.maxLength(128))),
});

const [daily, weekly, monthly, manual] = payoutSettingsSchema.options;

/** Every schema of the interface, by its name in the document. */
export const named = {
  // Shared types
  ResourceId: resourceIdSchema,
  Money: moneySchema,
  Timestamp: timestampSchema,
  Count: countSchema,
  IdempotencyKey: idempotencyKeySchema,

  // Contactless payments
  ContactlessPayment: contactlessPaymentSchema,
  ContactlessPayments: contactlessPaymentsSchema,
  ContactlessPaymentState: contactlessPaymentSchema.entries.state,
  AppointmentReference: appointmentReferenceSchema,
  BarberReference: barberReferenceSchema,
  ShopLocationReference: shopLocationReferenceSchema,
  Card: cardSchema,
  CardNetwork: cardSchema.entries.network,
  CardFundingType: cardSchema.entries.fundingType,
  CardTokenizationMethod: cardSchema.entries.tokenizationMethod.wrapped,
  ExternalPaymentReference: externalPaymentReferenceSchema,
  PaymentProcessor: externalPaymentReferenceSchema.entries.paymentProcessor,
  CreateContactlessPayment: createContactlessPaymentBodySchema,
  CaptureContactlessPayment: captureContactlessPaymentBodySchema,

  // Refunds
  Refund: refundSchema,
  Refunds: refundsSchema,
  RefundState: refundSchema.entries.state,
  RefundOrigin: refundSchema.entries.origin,
  Currency: refundSchema.entries.currency,
  RefundPayment: refundPaymentBodySchema,

  // Terminals
  Terminal: terminalSchema,
  Terminals: terminalsSchema,
  TerminalPlatform: terminalSchema.entries.platform,
  TerminalConnectionToken: terminalConnectionTokenSchema,
  RegisterTerminal: registerTerminalBodySchema,

  // Payment methods
  PaymentMethodSetup: paymentMethodSetupSchema,
  PreparePaymentMethod: preparePaymentMethodBodySchema,

  // Businesses and authentication
  BusinessPayoutPreferences: businessPayoutPreferencesSchema,
  PayoutSettings: payoutSettingsSchema,
  DailyPayoutSettings: daily,
  WeeklyPayoutSettings: weekly,
  MonthlyPayoutSettings: monthly,
  ManualPayoutSettings: manual,
  Weekday: weekly.entries.dayOfWeek,
  ChallengeMethods: challengeMethodsSchema,
  ChallengeMethod: challengeMethodsSchema.entries.items.item,
  PhoneNumber: phoneNumberSchema,
  EmailAddress: emailAddressSchema,

  // Problems
  Problem: looseProblemSchema,
  NestedProblem: looseNestedProblemSchema,
  Recovery: recoverySchema,
  RateLimit: recoverySchema.entries.rateLimit.wrapped,
} as const satisfies Readonly<Record<string, GenericSchema>>;

export type SchemaName = keyof typeof named;
