import {
  type ApplicationFee,
  type Appointment,
  type Business,
  type EarlierAccount,
  type FinancialAccount,
  type PayoutPreferences,
  type ProcessorAccount,
  type RefundPolicy,
  type Schedule,
  weekdays,
} from '@chairside/core';
import type { Actor } from '@chairside/core/ports';
import { platforms, type Terminal } from '@chairside/core/ports';
import * as fc from 'fast-check';
import { optionalOfReference, requiredOfReference } from './payments.ts';
import { counter, currency, id, instant, money, recordOf, text } from './values.ts';

export const appointments = recordOf<Appointment>()(
  { ...requiredOfReference, businessId: id, amountDueMinor: money },
  {
    ...optionalOfReference,
    customerId: id,
    paymentMethodSetupId: id,
    noShowFeeMinor: money,
    isMissed: fc.boolean(),
    sameVisit: fc.boolean(),
  },
);

const basisPoints = fc.integer({ min: 0, max: 10_000 });

export const businesses = recordOf<Business>()(
  { id, name: text },
  {
    processorAccount: recordOf<ProcessorAccount>()({ id, currency }, { terminalLocation: id }),
    applicationFee: fc.oneof<fc.Arbitrary<ApplicationFee>[]>(
      fc.record({ fixedMinor: money, currency: fc.constant('eur') }),
      fc.record({ basisPoints, includesTip: fc.boolean() }),
      fc.record({ fixedMinor: money, currency: fc.constant('usd'), basisPoints: counter }),
    ),
    refundPolicy: recordOf<RefundPolicy>()(
      { returnsFee: fc.boolean(), reversesTransfer: fc.boolean() },
      {},
    ),
    earlierAccounts: fc.array(recordOf<EarlierAccount>()({ id }, { retiredAt: text }), {
      minLength: 1,
      maxLength: 3,
    }),
    accountChangedAt: fc.nat(),
  },
);

export const financialAccounts = recordOf<FinancialAccount>()(
  {
    id,
    businessId: id,
    bankName: text,
    maskedAccountNumber: text,
    currency,
    isDefault: fc.boolean(),
  },
  {},
);

const weekday = fc.constantFrom(...weekdays);
const delayDays = fc.integer({ min: 0, max: 31 });

export const schedules = recordOf<Schedule>()(
  {
    id,
    barberId: id,
    name: text,
    hours: fc.array(fc.record({ day: weekday, from: text, to: text }), { maxLength: 3 }),
  },
  {},
);

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

export const actors = recordOf<Actor>()({ number: counter, subject: id }, {});

export const terminals = recordOf<Terminal>()(
  {
    id,
    platform: fc.constantFrom(...platforms),
    deviceIdentifier: id,
    barberId: id,
    businessId: id,
    createdAt: instant,
    updatedAt: instant,
  },
  { deviceModel: text, osVersion: text, appVersion: text, terminalSdkVersion: text },
);
