import {
  type Dispute,
  disputeStates,
  type Refund,
  type Review,
  refundStates,
  reviewReasons,
} from '@chairside/core';
import * as fc from 'fast-check';
import { counter, type FieldsOf, id, instant, money, text, work } from './values.ts';

export const reviews: fc.Arbitrary<Review> = fc.record(
  {
    id,
    reason: fc.constantFrom(...reviewReasons),
    account: id,
    paymentId: id,
    reference: text,
    count: counter,
    openedAt: instant,
    resolvedAt: instant,
    note: text,
  } satisfies FieldsOf<Review>,
  { requiredKeys: ['id', 'reason', 'account', 'openedAt'] },
);

export const refunds: fc.Arbitrary<Refund> = fc.record(
  {
    id,
    paymentId: id,
    account: id,
    currency: fc.constantFrom('eur', 'usd'),
    amountMinor: money,
    origin: fc.constantFrom('here', 'elsewhere'),
    reason: text,
    returnsFee: fc.boolean(),
    reversesTransfer: fc.boolean(),
    state: fc.constantFrom(...refundStates),
    version: counter,
    reference: text,
    failure: text,
    createdAt: instant,
    updatedAt: instant,
    acceptedAs: fc.constantFrom(...refundStates),
    acceptedAt: instant,
    work,
    nextCheckAt: instant,
    checks: counter,
  } satisfies FieldsOf<Refund>,
  {
    requiredKeys: [
      ...(['id', 'paymentId', 'account', 'currency', 'amountMinor', 'origin'] as const),
      ...(['returnsFee', 'reversesTransfer', 'state', 'version'] as const),
      ...(['createdAt', 'updatedAt', 'checks'] as const),
    ],
  },
);

export const disputes: fc.Arbitrary<Dispute> = fc.record(
  {
    id,
    paymentId: id,
    businessId: id,
    account: id,
    reference: text,
    currency: fc.constantFrom('eur', 'usd'),
    amountMinor: money,
    state: fc.constantFrom(...disputeStates),
    reason: text,
    respondBy: instant,
    version: counter,
    openedAt: instant,
    updatedAt: instant,
    seenAt: instant,
  } satisfies FieldsOf<Dispute>,
  {
    requiredKeys: [
      ...(['id', 'paymentId', 'businessId', 'account', 'reference', 'currency'] as const),
      ...(['amountMinor', 'state', 'version', 'openedAt', 'updatedAt', 'seenAt'] as const),
    ],
  },
);
