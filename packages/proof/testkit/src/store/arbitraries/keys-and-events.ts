import type {
  DisputeEventData,
  DomainEvent,
  NestedProblem,
  PaymentStateEventData,
  Problem,
  Recovery,
  RefundEventData,
  ReviewOpenedEventData,
  TerminalEventData,
} from '@chairside/core';
import {
  chargePurposes,
  chargeRefusals,
  disputeStates,
  type EventActor,
  type KeyRecord,
  paymentStates,
  platforms,
  refundStates,
  reviewReasons,
} from '@chairside/core/ports';
import * as fc from 'fast-check';
import { counter, id, instant, json, recordOf, text } from './values.ts';

const recovery = recordOf<Recovery>()(
  {
    outcome: fc.constantFrom('notApplied', 'unknown'),
    retry: fc.constantFrom('doNotRetry', 'retrySameRequest'),
  },
  {
    sessionAction: fc.constantFrom('refresh', 'signIn'),
    rateLimit: fc.record({ limit: counter, remaining: counter, resetsAt: text }),
  },
);

const required = {
  type: fc.constantFrom<('unprocessableEntity' | 'contactlessPaymentCanceled')[]>(
    'unprocessableEntity',
    'contactlessPaymentCanceled',
  ),
  title: text,
  status: fc.constantFrom(409, 422),
  occurredAt: instant.map((at) => new Date(at).toISOString()),
  id,
};
const attributes = fc.record({ pointer: text, nested: json }, { requiredKeys: [] });
const optional = { detail: text, instance: text, attributes };

const nested = recordOf<NestedProblem>()(required, optional);

export const problems = recordOf<Problem>()(
  { ...required, recovery },
  { ...optional, problems: fc.array(nested, { maxLength: 2 }) },
);

export const keyRecords = recordOf<KeyRecord>()(
  {
    subject: id,
    key: id,
    operation: fc.constantFrom(
      'createContactlessPayment',
      'captureContactlessPayment',
      'preparePaymentMethod',
      'refundPayment',
      'chargePaymentMethod',
    ),
    fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/),
  },
  { resourceId: id, problem: problems, forgetAt: instant },
);

const eventFrame = { subject: id, version: counter, occurredAt: instant };
const actedBy = recordOf<EventActor>()({ actor: counter }, { requestId: id, subject: id });
const aboutPayment = {
  contactlessPaymentId: id,
  appointmentId: id,
  businessId: id,
  amount: text,
  currency: text,
};

const eventShare = fc.record(
  { appointmentId: id, barberId: id, amount: text, tip: text },
  { requiredKeys: ['appointmentId', 'barberId', 'amount'] },
);

export const events: fc.Arbitrary<DomainEvent> = fc.oneof(
  fc.record({
    ...eventFrame,
    type: fc.constantFrom(...paymentStates.map((state) => `contactlessPayment.${state}` as const)),
    data: recordOf<PaymentStateEventData>()(
      { ...aboutPayment, barberId: id, state: fc.constantFrom(...paymentStates) },
      {
        tip: text,
        corrects: fc.constant('captured' as const),
        purpose: fc.constantFrom(...chargePurposes),
        refusal: fc.constantFrom(...chargeRefusals),
        shares: fc.array(eventShare, { maxLength: 3 }),
        by: actedBy,
      },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('contactlessPayment.refunded', 'contactlessPayment.refundFailed'),
    data: recordOf<RefundEventData>()(aboutPayment, {
      refundId: id,
      tip: text,
      purpose: fc.constantFrom(...chargePurposes),
      state: fc.constantFrom(...refundStates),
      origin: fc.constantFrom('here', 'elsewhere'),
      processorReference: text,
      shares: fc.array(eventShare, { maxLength: 3 }),
      by: actedBy,
    }),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('contactlessPayment.disputed', 'contactlessPayment.disputeWon'),
    data: recordOf<DisputeEventData>()(
      {
        ...aboutPayment,
        disputeId: id,
        state: fc.constantFrom(...disputeStates),
        withheld: text,
        processorReference: text,
      },
      {
        respondBy: text,
        withheldIn: text,
        purpose: fc.constantFrom(...chargePurposes),
        shares: fc.array(eventShare, { maxLength: 3 }),
      },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('terminal.registered', 'terminal.removed', 'terminal.released'),
    data: recordOf<TerminalEventData>()(
      {
        terminalId: id,
        barberId: id,
        businessId: id,
        platform: fc.constantFrom(...platforms),
      },
      { by: actedBy },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constant('review.opened'),
    data: recordOf<ReviewOpenedEventData>()(
      { reviewId: id, reason: fc.constantFrom(...reviewReasons), account: id },
      { contactlessPaymentId: id, processorReference: text },
    ),
  }),
);
