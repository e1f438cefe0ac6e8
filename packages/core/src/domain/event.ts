import type { ChargePurpose, ChargeRefusal } from './charge.ts';
import type { DisputeState } from './dispute.ts';
import type { PaymentState } from './payment.ts';
import type { Refund, RefundState } from './refund.ts';
import type { ReviewReason } from './review.ts';
import type { Platform } from './terminal.ts';
import type { EpochMs } from './time.ts';

/**
 * A domain event, written in the same commit as its change (D26). A `switch` on `type` narrows it.
 * Events hold ids, states, amounts and times, and no free text (D47).
 */
export type DomainEvent =
  | PaymentStateEvent
  | RefundEvent
  | DisputeEvent
  | TerminalEvent
  | ReviewOpenedEvent;

/** The types of domain events (D26). */
export type EventType = DomainEvent['type'];

/**
 * The members of every event. Events of one subject are ordered by `version`; events of different
 * subjects have no order.
 */
interface EventFrame {
  /** The id of the payment, terminal or review. */
  readonly subject: string;
  /** The subject's version after the change; unique with `subject`. */
  readonly version: number;
  readonly occurredAt: EpochMs;
}

/** A payment reached a state. A state that was skipped has its event too (D15). */
export interface PaymentStateEvent extends EventFrame {
  readonly type: `contactlessPayment.${PaymentState}`;
  readonly data: PaymentStateEventData;
}

export interface PaymentStateEventData {
  readonly contactlessPaymentId: string;
  readonly appointmentId: string;
  readonly businessId: string;
  readonly barberId: string;
  /** `45.00`: the amount to collect; for `captured` the amount that was captured. */
  readonly amount: string;
  /** The part of the amount that is tip, for the barber of `barberId`. Absent without a tip (D48). */
  readonly tip?: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The state in `type`. */
  readonly state: PaymentState;
  /** Present for a charge of a saved method (D49). */
  readonly purpose?: ChargePurpose;
  /** Why the customer's bank refused the charge; present in `canceled`. */
  readonly refusal?: ChargeRefusal;
}

/**
 * A refund of a captured payment reached a state (D44). The payment's state stays `captured`.
 * `refunded`: the money went back. `refundPending`: the processor accepted the refund.
 */
export interface RefundEvent extends EventFrame {
  readonly type: `contactlessPayment.${
    | 'refundPending'
    | 'refunded'
    | 'refundFailed'
    | 'refundCanceled'}`;
  readonly data: RefundEventData;
}

export interface RefundEventData extends ReturnedEventData {
  /** Absent if the processor does not list its refunds. */
  readonly refundId?: string;
  /** The part of the amount that is tip. Absent without one (D48). */
  readonly tip?: string;
  readonly state?: RefundState;
  /** `elsewhere`: it was made at the processor, in its dashboard for example. */
  readonly origin?: Refund['origin'];
  /** The processor's id of the refund. */
  readonly processorReference?: string;
}

/**
 * The customer contests a captured payment, or the dispute changed or ended (D45). The payment's state
 * stays `captured`.
 */
export interface DisputeEvent extends EventFrame {
  readonly type: `contactlessPayment.${
    | 'disputed'
    | 'disputeChanged'
    | 'disputeWon'
    | 'disputeLost'}`;
  readonly data: DisputeEventData;
}

export interface DisputeEventData extends ReturnedEventData {
  readonly disputeId: string;
  readonly state: DisputeState;
  /** The deadline for evidence. */
  readonly respondBy?: string;
  /** The processor's id of the dispute. */
  readonly processorReference: string;
}

export interface ReturnedEventData {
  readonly contactlessPaymentId: string;
  readonly appointmentId: string;
  readonly businessId: string;
  /** `45.00`: the amount of the refund or dispute. */
  readonly amount: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
}

/** A terminal was registered, unregistered by its barber, or released by the host. */
export interface TerminalEvent extends EventFrame {
  readonly type: 'terminal.registered' | 'terminal.removed' | 'terminal.released';
  readonly data: TerminalEventData;
}

export interface TerminalEventData {
  readonly terminalId: string;
  readonly barberId: string;
  readonly businessId: string;
  readonly platform: Platform;
}

/** A payment needs a person (D43). */
export interface ReviewOpenedEvent extends EventFrame {
  readonly type: 'review.opened';
  readonly data: ReviewOpenedEventData;
}

export interface ReviewOpenedEventData {
  readonly reviewId: string;
  readonly reason: ReviewReason;
  /** The processor account that the payment lives in. */
  readonly account: string;
  /** Absent for an orphan without a mark. */
  readonly contactlessPaymentId?: string;
  /** The processor's id of the payment, where it is known. */
  readonly processorReference?: string;
}
