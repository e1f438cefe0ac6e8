import {
  type Card,
  cardNetworks,
  fundingTypes,
  type Payment,
  paymentStates,
  reviewReasons,
  type TimelineEntry,
  tokenizationMethods,
} from '@chairside/core';
import * as fc from 'fast-check';
import { reference } from './references.ts';
import { counter, type FieldsOf, id, instant, money, text, typedKeys, work } from './values.ts';

const card: fc.Arbitrary<Card> = fc.record(
  {
    maskedPersonalAccountNumber: fc.constantFrom('*4242', '*0005'),
    network: fc.constantFrom(...cardNetworks),
    fundingType: fc.constantFrom(...fundingTypes),
    expirationMonth: fc.constantFrom('01', '12'),
    expirationYear: fc.constantFrom('2026', '2031'),
    tokenizationMethod: fc.constantFrom(...tokenizationMethods),
  } satisfies FieldsOf<Card>,
  {
    requiredKeys: [
      'maskedPersonalAccountNumber',
      'network',
      'fundingType',
      'expirationMonth',
      'expirationYear',
    ],
  },
);

const entry: fc.Arbitrary<TimelineEntry> = fc.record({ at: instant, what: text, cause: text });

/** The fields that are set when a payment begins. */
const opened = {
  id,
  appointment: reference,
  businessId: id,
  account: id,
  currency: fc.constantFrom('eur', 'usd'),
  amountMinor: money,
  createdAt: instant,
} satisfies Partial<FieldsOf<Payment>>;

/** Frozen in the claim, where the business has a fee. */
const fee = { applicationFeeMinor: money } satisfies Partial<FieldsOf<Payment>>;
const base = fc.record({ ...opened, ...fee }, { requiredKeys: [...typedKeys(opened)] });

/** The fields that a later change may set: all that `opened` lacks. */
const changing = {
  state: fc.constantFrom(...paymentStates),
  version: counter,
  clientSecret: text,
  reference: text,
  card,
  authorizedAt: instant,
  capturedAt: instant,
  capturedMinor: money,
  expiresAt: instant,
  updatedAt: instant,
  reserved: fc.boolean(),
  work,
  nextCheckAt: instant,
  checks: counter,
  review: fc.constantFrom(...reviewReasons),
  timeline: fc.array(entry, { maxLength: 5 }),
} satisfies FieldsOf<Omit<Payment, keyof typeof opened | keyof typeof fee>>;

const alwaysSet = [
  'state',
  'version',
  'expiresAt',
  'updatedAt',
  'reserved',
  'checks',
  'timeline',
] as const;

const states = fc.record(changing, { requiredKeys: [...alwaysSet] });

export const payments: fc.Arbitrary<Payment> = fc
  .tuple(base, states)
  .map(([first, state]) => ({ ...first, ...state }));

/** A payment before and after another commit. */
export const changedPayments: fc.Arbitrary<readonly [Payment, Payment]> = fc
  .tuple(base, states, states)
  .map(([first, before, after]) => [
    { ...first, ...before },
    { ...first, ...after },
  ]);
