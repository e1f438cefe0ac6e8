import type { ChargePurpose, ChargeRefusal } from '../charge/charge.ts';
import type { EventActor } from '../frame/record.ts';
import type { PaymentState } from '../payment/payment.ts';
import type { DisputeState } from '../refund/dispute.ts';
import type { Refund, RefundState } from '../refund/refund.ts';
import type { TenderKind } from '../tender/tender.ts';
import type { Platform } from '../terminal/terminal.ts';
import type { ReviewReason } from '../upkeep/review.ts';
import type { EpochMs } from '../values/time.ts';

/**
 * A domain event, written in the same commit as its change. A `switch` on `type` narrows it.
 * Events hold ids, states, amounts and times, and no free text.
 */
export type DomainEvent =
  | PaymentStateEvent
  | RefundEvent
  | DisputeEvent
  | ShareEvent
  | TenderEvent
  | TerminalEvent
  | ReviewOpenedEvent;

/** The types of domain events. */
export type EventType = DomainEvent['type'];

/**
 * The members of every event. Events of one subject are ordered by `version`; events of different
 * subjects have no order.
 */
interface EventFrame {
  /** The id of the payment, tender, terminal or review. */
  readonly subject: string;
  /** The subject's version after the change; unique with `subject`. */
  readonly version: number;
  readonly occurredAt: EpochMs;
}

/** A payment reached a state. A state that was skipped has its event too. */
export interface PaymentStateEvent extends EventFrame {
  readonly type: `contactlessPayment.${PaymentState}`;
  readonly data: PaymentStateEventData;
}

/** What an event of a payment's state says. */
export interface PaymentStateEventData {
  readonly contactlessPaymentId: string;
  readonly appointmentId: string;
  readonly businessId: string;
  readonly barberId: string;
  /** `45.00`: the amount to collect; for `captured` the amount that was captured. */
  readonly amount: string;
  /** The part of the amount that is tip, for the barber of `barberId`. Absent without a tip. */
  readonly tip?: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The state in `type`. */
  readonly state: PaymentState;
  /**
   * Present in `canceled` if an earlier event said `captured`, by a person's word, and the processor shows
   * that no money was taken.
   */
  readonly corrects?: 'captured';
  /** Present for a charge of a saved method. */
  readonly purpose?: ChargePurpose;
  /** Why the customer's bank refused the charge; present in `canceled`. */
  readonly refusal?: ChargeRefusal;
  /** Whose it is, of a payment that pays several visits. */
  readonly shares?: readonly EventShare[];
  /** Who opened, captured or canceled it. Absent if nobody asked for it, as when it expires. */
  readonly by?: EventActor;
}

/**
 * A refund of a captured payment reached a state. The payment's state stays `captured`.
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

/** What a refund event says. */
export interface RefundEventData extends ReturnedEventData {
  /** Absent if the processor does not list its refunds. */
  readonly refundId?: string;
  /** The part of the amount that is tip. Absent without one. */
  readonly tip?: string;
  readonly state?: RefundState;
  /** `elsewhere`: it was made at the processor, in its dashboard for example. */
  readonly origin?: Refund['origin'];
  /** Whose money goes back, of a payment that was shared. */
  readonly shares?: readonly EventShare[];
  /** The processor's id of the refund. */
  readonly processorReference?: string;
  /** Who gave the money back; absent for one that was made elsewhere. */
  readonly by?: EventActor;
}

/**
 * The customer contests a captured payment, or the dispute changed or ended. The payment's state
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

/** What a dispute event says. */
export interface DisputeEventData extends ReturnedEventData {
  readonly disputeId: string;
  readonly state: DisputeState;
  /** The amount that the processor keeps from the shop now: `0.00` for an inquiry. */
  readonly withheld: string;
  /** The currency of `withheld`, where it is another one. */
  readonly withheldIn?: string;
  /** The deadline for evidence. */
  readonly respondBy?: string;
  /** Whose money is contested, of a payment that was shared: the parts of `amount`. */
  readonly shares?: readonly EventShare[];
  /** The processor's id of the dispute. */
  readonly processorReference: string;
}

/** The members that events of refunds and disputes share. */
export interface ReturnedEventData {
  readonly contactlessPaymentId: string;
  readonly appointmentId: string;
  readonly businessId: string;
  /** The purpose of the payment, if it is a charge of a saved method. */
  readonly purpose?: ChargePurpose;
  /** `45.00`: the amount of the refund or dispute. */
  readonly amount: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
}

/** Somebody said whose a captured payment is from now on. */
export interface ShareEvent extends EventFrame {
  readonly type: 'contactlessPayment.shared';
  readonly data: ShareEventData;
}

/** What an event of a sharing says. */
export interface ShareEventData {
  readonly contactlessPaymentId: string;
  /** The appointment that the payment was opened for. */
  readonly appointmentId: string;
  readonly businessId: string;
  /** The purpose of the payment, if it is a charge of a saved method. */
  readonly purpose?: ChargePurpose;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Whose all of the captured amount is now. */
  readonly shares: readonly EventShare[];
  /** What each visit and barber has more than before; negative for less. */
  readonly moves: readonly EventShare[];
  readonly by?: EventActor;
}

/** The part of one visit and barber, as events say it. */
export interface EventShare {
  readonly appointmentId: string;
  readonly barberId: string;
  /** `20.00`, with its tip. */
  readonly amount: string;
  /** Absent without a tip. */
  readonly tip?: string;
}

/** Something was paid without a card, given back, or voided because it was a mistake. */
export interface TenderEvent extends EventFrame {
  readonly type: 'tender.recorded' | 'tender.returned' | 'tender.voided';
  readonly data: TenderEventData;
}

/** What a tender event says. */
export interface TenderEventData {
  /** Absent for cash that was given back for a card payment. */
  readonly tenderId?: string;
  /** The card payment for which cash was given back, because its refund had failed: the event's subject. */
  readonly contactlessPaymentId?: string;
  /** Present in `returned`. */
  readonly returnId?: string;
  readonly appointmentId: string;
  readonly businessId: string;
  readonly barberId: string;
  readonly kind: TenderKind;
  /** `20.00`: the amount that was paid, given back or voided. */
  readonly amount: string;
  /** The part of cash for a card payment that is tip. Absent without one. */
  readonly tip?: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Whose money cash for a card payment gives back, if that payment was shared. */
  readonly shares?: readonly EventShare[];
  readonly by?: EventActor;
}

/** A terminal was registered, unregistered by its barber, or released by the host. */
export interface TerminalEvent extends EventFrame {
  readonly type: 'terminal.registered' | 'terminal.removed' | 'terminal.released';
  readonly data: TerminalEventData;
}

/** What a terminal event says. */
export interface TerminalEventData {
  readonly terminalId: string;
  readonly barberId: string;
  readonly businessId: string;
  readonly platform: Platform;
  /** Who registered, removed or released it. */
  readonly by?: EventActor;
}

/** A payment or a payout needs a person. */
export interface ReviewOpenedEvent extends EventFrame {
  readonly type: 'review.opened';
  readonly data: ReviewOpenedEventData;
}

/** What an event of a new review says. */
export interface ReviewOpenedEventData {
  readonly reviewId: string;
  readonly reason: ReviewReason;
  /** The processor account that the payment or payout lives in. */
  readonly account: string;
  /** Absent for an orphan without a mark, and for a payout. */
  readonly contactlessPaymentId?: string;
  /** The processor's id of the payment, where it is known, or of the payout. */
  readonly processorReference?: string;
}
