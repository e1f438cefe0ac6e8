import {
  type ApplicationFee,
  type Appointment,
  type Business,
  type FinancialAccount,
  type PayoutPreferences,
  type ProcessorAccount,
  type RefundPolicy,
  type Schedule,
  weekdays,
} from '@chairside/core';
import * as fc from 'fast-check';
import { referenceFields } from './references.ts';
import { counter, type FieldsOf, id, money, text } from './values.ts';

export const appointments: fc.Arbitrary<Appointment> = fc.record(
  { ...referenceFields, businessId: id, amountDueMinor: money } satisfies FieldsOf<Appointment>,
  { requiredKeys: ['id', 'businessId', 'amountDueMinor', 'occursOn', 'barber', 'location'] },
);

export const businesses: fc.Arbitrary<Business> = fc.record(
  {
    id,
    name: text,
    processorAccount: fc.record(
      {
        id,
        currency: fc.constantFrom('eur', 'usd'),
        terminalLocation: id,
      } satisfies FieldsOf<ProcessorAccount>,
      { requiredKeys: ['id', 'currency'] },
    ),
    applicationFee: fc.oneof(
      fc.record({ fixedMinor: money, currency: fc.constant('eur') }),
      fc.record({ basisPoints: fc.integer({ min: 0, max: 10_000 }) }),
      fc.record({
        fixedMinor: money,
        currency: fc.constant('usd'),
        basisPoints: counter,
      } satisfies FieldsOf<ApplicationFee>),
    ),
    refundPolicy: fc.record({
      returnsFee: fc.boolean(),
      reversesTransfer: fc.boolean(),
    } satisfies FieldsOf<RefundPolicy>),
  } satisfies FieldsOf<Business>,
  { requiredKeys: ['id', 'name'] },
);

export const financialAccounts: fc.Arbitrary<FinancialAccount> = fc.record({
  id,
  businessId: id,
  bankName: text,
  maskedAccountNumber: text,
  currency: fc.constantFrom('eur', 'usd'),
  isDefault: fc.boolean(),
} satisfies FieldsOf<FinancialAccount>);

const weekday = fc.constantFrom(...weekdays);
const delayDays = fc.integer({ min: 0, max: 31 });

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  id,
  barberId: id,
  name: text,
  hours: fc.array(fc.record({ day: weekday, from: text, to: text }), { maxLength: 3 }),
} satisfies FieldsOf<Schedule>);

export const payoutPreferences: fc.Arbitrary<PayoutPreferences> = fc.record({
  businessId: id,
  settings: fc.oneof(
    fc.record({ frequency: fc.constant('daily'), delayDays }),
    fc.record({ frequency: fc.constant('weekly'), delayDays, dayOfWeek: weekday }),
    fc.record({
      frequency: fc.constant('monthly'),
      delayDays,
      dayOfMonth: fc.integer({ min: 1, max: 31 }),
    }),
    fc.record({ frequency: fc.constant('manual') }),
  ),
});
