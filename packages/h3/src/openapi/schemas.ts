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
  isStorable,
  moneySchema,
  nestedProblemSchema,
  paymentMethodSetupSchema,
  payoutSettingsSchema,
  phoneNumberSchema,
  preparePaymentMethodBodySchema,
  problemSchema,
  recoverySchema,
  registerTerminalBodySchema,
  resourceIdSchema,
  shopLocationReferenceSchema,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
  timestampSchema,
} from '@chairside/core';
import { type OverrideActionContext, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { type Ref, refTo, type Schema } from './document.ts';

const [daily, weekly, monthly, manual] = payoutSettingsSchema.options;

/** Every schema of the interface, by its name in the document. */
const named: Readonly<Record<string, GenericSchema>> = {
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
  Problem: problemSchema,
  NestedProblem: nestedProblemSchema,
  Recovery: recoverySchema,
  RateLimit: recoverySchema.entries.rateLimit.wrapped,
};

const names = new Map<unknown, string>(
  Object.entries(named).map(([name, schema]) => [schema, name]),
);

/** A reference to a schema's component. Throws for a schema without a name here. */
export function schemaRef(schema: GenericSchema): Ref {
  const wrapped: unknown = 'wrapped' in schema ? schema.wrapped : schema;
  const name = names.get(wrapped);
  if (name === undefined) throw new Error('a schema of the route table has no name');
  return refTo('schemas', name);
}

/** All named schemas as JSON Schema, 2020-12. */
export function componentSchemas(): Record<string, Schema> {
  const schemas = toJsonSchemaDefs(named, {
    target: 'draft-2020-12',
    overrideAction: convertAction,
    overrideRef: ({ referenceId }) => refTo('schemas', referenceId).$ref,
  });
  return {
    ...schemas,
    PayoutSettings: {
      ...schemas['PayoutSettings'],
      discriminator: {
        propertyName: 'frequency',
        mapping: Object.fromEntries(
          payoutSettingsSchema.options.map((option) => [
            option.entries.frequency.literal,
            schemaRef(option).$ref,
          ]),
        ),
      },
    },
  };
}

/**
 * The text that every store can keep (`isStorable`). JSON Schema strings have no unpaired
 * surrogates, so the pattern excludes only U+0000.
 */
const storablePattern = '^[^\\x00]*$';

/**
 * Functions check the lengths, because JSON Schema counts code points. The limits are in the
 * schema's metadata, which is copied. A schema's own pattern is narrower than the storable one and
 * replaces it.
 */
function convertAction({ valibotAction: action, jsonSchema }: OverrideActionContext) {
  const requirement: unknown = 'requirement' in action ? action.requirement : undefined;
  if (action.type === 'check') {
    return requirement === isStorable ? { ...jsonSchema, pattern: storablePattern } : jsonSchema;
  }
  const isNarrower = requirement instanceof RegExp && jsonSchema.pattern === storablePattern;
  return isNarrower ? { ...jsonSchema, pattern: requirement.source } : undefined;
}
