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
 * without any message of it. The last refund fails. The cardholder disputes the payment or only inquires about
 * it, with or without a message of it; the dispute takes its amount, ends, and goes on after its end.
 */
export type ReturnedChange =
  | 'refund'
  | 'refundPart'
  | 'refundUnheard'
  | 'refundFails'
  | 'dispute'
  | 'disputeUnheard'
  | 'inquire'
  | 'inquireUnheard'
  | 'withholdDispute'
  | 'reopenDispute'
  | 'winDispute'
  | 'loseDispute';

interface Sent {
  readonly as?: Sender;
}
interface Keyed extends Sent {
  readonly key: string;
  /** How often an impatient thumb sends it at once. */
  readonly taps?: number;
}
interface OfVisit {
  readonly appointment: number;
}
/** Payments and tenders are named by the key of their creation. */
interface OfPayment extends OfVisit {
  readonly payment: string;
}
interface OfCustomer {
  readonly customer: number;
}
/** Setups are named by the plan. */
interface OfSetup extends OfCustomer {
  readonly setup: string;
}
interface OfDevice {
  readonly barber: number;
  readonly device: string;
}
interface OfBusiness {
  readonly business: BusinessName;
}

/** What each action says beside its time. */
interface Actions {
  create: OfVisit & Keyed & Via & { readonly amount?: string; readonly tip?: string };
  present: OfPayment & { readonly card: string };
  /** Default: the payment's own reference; else that of another payment. */
  capture: OfPayment & Keyed & Via & { readonly reference?: string };
  cancel: OfPayment;
  read: OfPayment & Sent & Via;
  /** The host raises the amount due. */
  raise: OfVisit;
  /** The host sets the total due, perhaps to a lower amount. */
  setDue: OfVisit & { readonly due: string };
  /** The host removes the appointment; any other change of it makes it anew. */
  remove: OfVisit;
  /** The host gives the appointment to another barber, perhaps of another business. */
  move: OfVisit & OfBusiness & { readonly barber: number };
  /** A barber loses the role, or gets it back. */
  setRole: { readonly barber: number; readonly has: boolean };
  /** A business has another account or another currency from now on. */
  setAccount: OfBusiness & { readonly account: string; readonly currency: string };
  /** The host erases what is kept of a customer and of all appointments (D47). */
  erase: OfCustomer;
  /** The processor deletes a customer. */
  forgetCustomer: OfCustomer;
  /** The shop asks for a captured payment's receipt. */
  receipt: OfPayment & Sent;
  /** The processor sends its messages: late, twice, in disorder, or not at all. */
  notify: { readonly disorder: number };
  /** The host handles domain events; its handler rejects one in `refuses`. */
  deliver: { readonly refuses?: number };
  reconcile: unknown;
  /** A person acts at the processor directly. */
  changeAtProcessor: OfPayment & {
    readonly how: 'capture' | 'captureHalf' | 'cancel' | ReturnedChange | Alteration;
  };
  /** The shop refunds a payment. Without an amount, it refunds the rest. */
  refund: OfPayment & Keyed & Via & { readonly amount?: string; readonly tip?: string };
  /** The shop gives back what the visit's payments took beyond the amount due. */
  excess: OfVisit & Keyed;
  /** The shop records what was paid without a card. */
  tender: OfVisit & Keyed & { readonly amount: string };
  /** The shop gives a tender back, or cash for a card payment; without an amount all that is left. */
  giveBack: OfPayment & Keyed & { readonly amount?: string };
  voidTender: OfPayment;
  /** The processor closes the shop's account until a person has spoken, days after the plan. */
  loseAccount: { readonly account: string };
  /** The shop reads the refunds of a payment, all and one by one. */
  readRefunds: OfPayment & Sent & Via;
  /** The platform's share of the business's payments changes; 0 for no fee. */
  setFee: OfBusiness & { readonly basisPoints: number };
  /** A customer's app begins to collect a payment method; a key is optional (D23). */
  prepare: OfSetup & Partial<Keyed> & { readonly save: boolean };
  /** The customer enters a card, in the processor's own form. */
  enter: OfSetup & { readonly card: string };
  /** The host reads the setup as the customer. */
  readSetup: OfSetup & Sent;
  /** The host writes that the appointment is the customer's, and made with this setup. */
  book: OfVisit & OfSetup;
  /** The host uses the appointment's id for a visit of this customer, so many weeks later. */
  rebook: OfVisit & OfCustomer & { readonly weeks: number };
  /** The host says that two customers are one. */
  merge: { readonly from: number; readonly into: number };
  /** A process of another installation starts on the same database, and serves a barber. */
  intrude: OfVisit;
  /** The host records that the customer missed the visit, and what that costs. */
  miss: OfVisit & { readonly fee: string };
  /** The shop charges a saved method. */
  charge: OfVisit &
    OfSetup &
    Keyed & { readonly purpose: 'deposit' | 'noShow'; readonly amount: string };
  /** The customer withdraws a saved method. */
  withdraw: OfSetup & Sent;
  register: OfDevice;
  useTerminal: OfDevice & Sent & { readonly how: 'getTerminal' | 'unregister' | 'token' };
  listTerminals: { readonly barber: number };
  /** The host releases a device of any barber. */
  release: Sent & { readonly device: string };
}

/** Actions before they are numbered. `at` is in milliseconds from the start. */
export type Draft<D extends keyof Actions = keyof Actions> = {
  [K in D]: { readonly at: number; readonly does: K } & Actions[K];
}[D];

/** Actions of one kind. */
export type Does<D extends keyof Actions> = Draft<D> & { readonly id: number };
export type Action = Does<keyof Actions>;

/** Changes of the host's own records, and of customers at the processor. */
export type HostChange = Does<
  | ('raise' | 'setDue' | 'remove' | 'book' | 'miss' | 'rebook' | 'merge')
  | ('move' | 'setRole' | 'setAccount' | 'setFee' | 'erase' | 'forgetCustomer')
>;
