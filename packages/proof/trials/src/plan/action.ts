/**
 * The sender of a request:
 * - `self`: its usual person; `roleless`: the same person without the role; `other`: another
 *   person;
 * - `current`: the appointment's barber at that moment, by the host;
 * - `expired`: the same person with an invalid token; `anonymous`: no token;
 * - `unsure`: the same person, while the host's authenticator fails.
 *
 * The last three use HTTP.
 */
export type Sender = 'self' | 'roleless' | 'other' | 'current' | 'expired' | 'anonymous' | 'unsure';

/** The fault of a request over HTTP: its JSON, its content type, its length. */
export type Broken = 'json' | 'type' | 'length';

/** How a request is sent. Default: by a call of the use case. */
export interface Via {
  readonly via?: 'http';
  readonly broken?: Broken;
}

export const businessNames = ['shop', 'annex'] as const;
export type BusinessName = (typeof businessNames)[number];

/** A change of a payment at the processor, which its books show from then on. */
export type Alteration = 'alterAmount' | 'alterCurrency' | 'alterAccount' | 'alterDeadline';

/**
 * Money that goes back at the processor: an operator refunds all that was captured, or 5.00; or 5.00
 * without any message of it, and then perhaps the payment's refunds cannot be read until the faults
 * have stopped for hours. The last refund fails. The cardholder disputes the payment or only inquires about
 * it, with or without a message of it; the dispute takes its amount, ends, and goes on after its end.
 */
export type ReturnedChange =
  | 'refund'
  | 'refundPart'
  | 'refundUnheard'
  | 'refundUnreadable'
  | 'refundFails'
  | 'dispute'
  | 'disputeUnheard'
  | 'inquire'
  | 'inquireUnheard'
  | 'withholdDispute'
  | 'reopenDispute'
  | 'winDispute'
  | 'loseDispute';

/** One kind of action. */
export type Does<D extends Action['does']> = Extract<Action, { readonly does: D }>;

/** `at` is in milliseconds from the start. Payments are named by the key of their creation. */
export type Action = { readonly id: number; readonly at: number } & (
  | ({
      readonly does: 'create';
      readonly appointment: number;
      readonly key: string;
      readonly amount?: string;
      readonly tip?: string;
      readonly taps?: number;
      readonly as?: Sender;
    } & Via)
  | {
      readonly does: 'present';
      readonly appointment: number;
      readonly payment: string;
      readonly card: string;
    }
  | ({
      readonly does: 'capture';
      readonly appointment: number;
      readonly payment: string;
      readonly key: string;
      /** The payment whose reference is sent. Default: its own. */
      readonly reference?: string;
      readonly taps?: number;
      readonly as?: Sender;
    } & Via)
  | { readonly does: 'cancel'; readonly appointment: number; readonly payment: string }
  | ({
      readonly does: 'read';
      readonly appointment: number;
      readonly payment: string;
      readonly as?: Sender;
    } & Via)
  /** The host raises the amount due. */
  | { readonly does: 'raise'; readonly appointment: number }
  /** The host sets the total due, perhaps to a lower amount. */
  | { readonly does: 'setDue'; readonly appointment: number; readonly due: string }
  /** The host removes the appointment; any other change of it makes it anew. */
  | { readonly does: 'remove'; readonly appointment: number }
  /** The host gives the appointment to another barber, perhaps of another business. */
  | {
      readonly does: 'move';
      readonly appointment: number;
      readonly barber: number;
      readonly business: BusinessName;
    }
  /** A barber loses the role, or gets it back. */
  | { readonly does: 'setRole'; readonly barber: number; readonly has: boolean }
  /** A business has another account or another currency from now on. */
  | {
      readonly does: 'setAccount';
      readonly business: BusinessName;
      readonly account: string;
      readonly currency: string;
    }
  /** The host erases what is kept of a customer and of all appointments (D47). */
  | { readonly does: 'erase'; readonly customer: number }
  /** The processor deletes a customer. */
  | { readonly does: 'forgetCustomer'; readonly customer: number }
  /** The shop asks for a captured payment's receipt. */
  | {
      readonly does: 'receipt';
      readonly appointment: number;
      readonly payment: string;
      readonly as?: Sender;
    }
  /** The processor sends its messages: late, twice, in disorder, or not at all. */
  | { readonly does: 'notify'; readonly disorder: number }
  /** The host handles domain events; its handler rejects one in `refuses`. */
  | { readonly does: 'deliver'; readonly refuses?: number }
  | { readonly does: 'reconcile' }
  /** A person acts at the processor directly. */
  | {
      readonly does: 'changeAtProcessor';
      readonly appointment: number;
      readonly payment: string;
      readonly how: 'capture' | 'captureHalf' | 'cancel' | ReturnedChange | Alteration;
    }
  /** The shop refunds a payment. Without an amount, it refunds the rest. */
  | ({
      readonly does: 'refund';
      readonly appointment: number;
      readonly payment: string;
      readonly key: string;
      readonly amount?: string;
      readonly tip?: string;
      readonly taps?: number;
      readonly as?: Sender;
    } & Via)
  /** The shop gives back what the visit's payments took beyond the amount due. */
  | {
      readonly does: 'excess';
      readonly appointment: number;
      readonly key: string;
      readonly taps?: number;
      readonly as?: Sender;
    }
  /** The shop records what was paid without a card: its key is its name in the plan, like a payment's. */
  | {
      readonly does: 'tender';
      readonly appointment: number;
      readonly key: string;
      readonly amount: string;
      readonly taps?: number;
      readonly as?: Sender;
    }
  /** The shop gives a tender back, or cash for a card payment; without an amount all that is left. */
  | {
      readonly does: 'giveBack';
      readonly appointment: number;
      readonly payment: string;
      readonly key: string;
      readonly amount?: string;
      readonly taps?: number;
      readonly as?: Sender;
    }
  | { readonly does: 'voidTender'; readonly appointment: number; readonly payment: string }
  /** The processor closes the shop's account until a person has spoken, days after the plan. */
  | { readonly does: 'loseAccount'; readonly account: string }
  /** The shop reads the refunds of a payment, all and one by one. */
  | ({
      readonly does: 'readRefunds';
      readonly appointment: number;
      readonly payment: string;
      readonly as?: Sender;
    } & Via)
  /** The platform's share of the business's payments changes; 0 for no fee. */
  | { readonly does: 'setFee'; readonly business: BusinessName; readonly basisPoints: number }
  /** A customer's app begins to collect a payment method. `setup` is its name in the plan. */
  | {
      readonly does: 'prepare';
      readonly customer: number;
      readonly setup: string;
      readonly save: boolean;
      /** Optional (D23). */
      readonly key?: string;
      readonly taps?: number;
      readonly as?: Sender;
    }
  /** The customer enters a card, in the processor's own form. */
  | {
      readonly does: 'enter';
      readonly customer: number;
      readonly setup: string;
      readonly card: string;
    }
  /** The host reads the setup as the customer. */
  | {
      readonly does: 'readSetup';
      readonly customer: number;
      readonly setup: string;
      readonly as?: Sender;
    }
  /** The host writes that the appointment is the customer's, and made with this setup. */
  | {
      readonly does: 'book';
      readonly appointment: number;
      readonly customer: number;
      readonly setup: string;
    }
  /** The host uses the appointment's id for a visit of this customer, so many weeks later. */
  | {
      readonly does: 'rebook';
      readonly appointment: number;
      readonly customer: number;
      readonly weeks: number;
    }
  /** The host says that two customers are one. */
  | { readonly does: 'merge'; readonly from: number; readonly into: number }
  /** A process of another installation starts on the same database, and serves a barber. */
  | { readonly does: 'intrude'; readonly appointment: number }
  /** The host records that the customer missed the visit, and what that costs. */
  | { readonly does: 'miss'; readonly appointment: number; readonly fee: string }
  /** The shop charges a saved method. */
  | {
      readonly does: 'charge';
      readonly appointment: number;
      readonly customer: number;
      readonly setup: string;
      readonly purpose: 'deposit' | 'noShow';
      readonly amount: string;
      readonly key: string;
      readonly taps?: number;
      readonly as?: Sender;
    }
  /** The customer withdraws a saved method. */
  | {
      readonly does: 'withdraw';
      readonly customer: number;
      readonly setup: string;
      readonly as?: Sender;
    }
  | { readonly does: 'register'; readonly barber: number; readonly device: string }
  | {
      readonly does: 'useTerminal';
      readonly barber: number;
      readonly device: string;
      readonly how: 'getTerminal' | 'unregister' | 'token';
      readonly as?: Sender;
    }
  | { readonly does: 'listTerminals'; readonly barber: number }
  /** The host releases a device of any barber. */
  | { readonly does: 'release'; readonly device: string; readonly as?: Sender }
);
