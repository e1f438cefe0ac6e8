import type { JsonObject } from './json.ts';
import type { PaymentState } from './payment.ts';
import type { EpochMs } from './time.ts';

/** The types of domain events (D26). */
export type EventType =
  | `contactlessPayment.${PaymentState | 'refunded' | 'disputed'}`
  | `terminal.${'registered' | 'removed' | 'released'}`
  | 'review.opened';

/**
 * A domain event, written in the same commit as its change (D26). Events of one subject are ordered
 * by `version`; events of different subjects have no order.
 */
export interface DomainEvent {
  /** The id of the payment, terminal or review. */
  readonly subject: string;
  /** The subject's version after the change; unique with `subject`. */
  readonly version: number;
  readonly type: EventType;
  readonly occurredAt: EpochMs;
  /** The new state of the subject. Holds no secret. */
  readonly data: JsonObject;
}
