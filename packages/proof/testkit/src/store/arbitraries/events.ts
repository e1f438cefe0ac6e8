import {
  type DisputeEventData,
  type DomainEvent,
  disputeStates,
  type MoneyBackEventData,
  type PaymentStateEventData,
  paymentStates,
  platforms,
  type RefundEventData,
  type ReviewOpenedEventData,
  refundStates,
  reviewReasons,
  type TerminalEventData,
} from '@chairside/core';
import * as fc from 'fast-check';
import { counter, type FieldsOf, id, instant, text, typedKeys } from './values.ts';

const eventFrame = { subject: id, version: counter, occurredAt: instant };
const moneyBackData = {
  contactlessPaymentId: id,
  appointmentId: id,
  businessId: id,
  amount: text,
  currency: text,
} satisfies FieldsOf<MoneyBackEventData>;

export const events: fc.Arbitrary<DomainEvent> = fc.oneof(
  fc.record({
    ...eventFrame,
    type: fc.constantFrom(...paymentStates.map((state) => `contactlessPayment.${state}` as const)),
    data: fc.record({
      ...moneyBackData,
      barberId: id,
      state: fc.constantFrom(...paymentStates),
    } satisfies FieldsOf<PaymentStateEventData>),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('contactlessPayment.refunded', 'contactlessPayment.refundFailed'),
    data: fc.record(
      {
        ...moneyBackData,
        refundId: id,
        state: fc.constantFrom(...refundStates),
        origin: fc.constantFrom('here', 'elsewhere'),
        processorReference: text,
      } satisfies FieldsOf<RefundEventData>,
      { requiredKeys: [...typedKeys(moneyBackData)] },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('contactlessPayment.disputed', 'contactlessPayment.disputeWon'),
    data: fc.record(
      {
        ...moneyBackData,
        disputeId: id,
        state: fc.constantFrom(...disputeStates),
        respondBy: text,
        processorReference: text,
      } satisfies FieldsOf<DisputeEventData>,
      { requiredKeys: [...typedKeys(moneyBackData), 'disputeId', 'state', 'processorReference'] },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('terminal.registered', 'terminal.removed', 'terminal.released'),
    data: fc.record({
      terminalId: id,
      barberId: id,
      businessId: id,
      platform: fc.constantFrom(...platforms),
    } satisfies FieldsOf<TerminalEventData>),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constant('review.opened'),
    data: fc.record(
      {
        reviewId: id,
        reason: fc.constantFrom(...reviewReasons),
        account: id,
        contactlessPaymentId: id,
        processorReference: text,
      } satisfies FieldsOf<ReviewOpenedEventData>,
      { requiredKeys: ['reviewId', 'reason', 'account'] },
    ),
  }),
);
