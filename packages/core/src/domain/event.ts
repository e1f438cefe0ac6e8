import type { JsonObject } from './json.ts';
import type { PaymentState } from './payment.ts';
import type { EpochMs } from './time.ts';

/** What a host can be told of (D26). */
export type EventType =
  | `contactlessPayment.${PaymentState | 'refunded' | 'disputed'}`
  | `terminal.${'registered' | 'removed' | 'released'}`
  | 'review.opened';

/**
 * Something that happened, written in the same commit as the change itself (D26). Events of one
 * subject are ordered by `version`; there is no order between subjects.
 */
export interface DomainEvent {
  /** The payment, terminal or review it is about. */
  readonly subject: string;
  /** The subject's version that the change made; unique with `subject`. */
  readonly version: number;
  readonly type: EventType;
  readonly occurredAt: EpochMs;
  /** What the change came to. Holds no secret. */
  readonly data: JsonObject;
}
