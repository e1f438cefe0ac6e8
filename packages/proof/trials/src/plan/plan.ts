/**
 * One run as data, which can be printed, shrunk and committed as a test. Everything else, such as
 * the duration of a call, is derived from the seed.
 */
export interface Plan {
  readonly seed: number;
  readonly appointments: number;
  readonly actions: readonly Action[];
  readonly faults: readonly PlannedFault[];
  /** The limit of calls a minute for one caller; no limit if absent. */
  readonly writesPerMinute?: number;
  /** How far the second node's clock is ahead, and that of the processor's adapter; 0 if absent. */
  readonly skewMs?: number;
  /** The processor's lists of disputes are empty, so its messages alone tell of them. */
  readonly hidesDisputes?: true;
}

/**
 * The fault of a port call of an action: of its `call`th, counted over all its requests, or of the one with this
 * name, such as `commit#2`. Stories and planted bugs name it, because a change of the core moves the numbers.
 */
export interface PlannedFault {
  readonly action: number;
  readonly call: number | string;
  readonly kind: FaultKind;
}

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

const atProcessor = [
  'processor',
  'keyedProcessor',
  'capture',
  'cancel',
  'reading',
  'refund',
] as const;
const everywhere = ['read', 'commit', ...atProcessor] as const;
const keyed = ['keyedProcessor', 'capture', 'cancel', 'refund'] as const;
const written = ['commit', ...keyed] as const;

/** The kind of a call. Each kind can have only some of the faults. */
export type PortKind = (typeof everywhere)[number];

/** Every fault, with the kinds of call that can have it. */
export const faultKinds = {
  /** Not applied, with a definite error. */
  fails: everywhere,
  /** Not applied, with an unknown outcome. */
  vanishes: written,
  /** Applied, with an unknown outcome. */
  losesReply: ['commit', ...atProcessor],
  /** Delivered twice. */
  repeats: written,
  /** The outcome is unknown, and the call is applied long after the caller has given up. */
  landsLater: keyed,
  /** The caller pauses for longer than its lease, then makes the call. */
  stallsBefore: everywhere,
  /** Applied; the caller pauses for longer than its lease before it continues. */
  stallsAfter: everywhere,
  /** The same for minutes or days, while another node works on the same records. */
  stopsAfter: everywhere,
  /** The caller's process dies before the call, or after it was applied. */
  crashesBefore: everywhere,
  crashesAfter: everywhere,
  /** The processor's internal error, stored under the key; applied or not. */
  breaks: atProcessor,
  breaksAfterApplying: keyed,
  /** The processor denies knowing the payment, although a capture may have been sent. */
  missing: ['reading', 'cancel'],
  /** The processor's rejections. */
  rateLimited: atProcessor,
  notSetUp: atProcessor,
  rejects: keyed,
  /** The processor accepts a capture, and ends it much later, perhaps as failed. */
  endsLater: ['capture'],
  /** The processor accepts a refund as pending, and ends it much later, perhaps as failed. */
  pends: ['refund'],
  /** A refund succeeds, and fails much later. */
  failsLater: ['refund'],
  /** An operator refunds the rest of the payment just before the call arrives. */
  overtaken: ['refund'],
} as const satisfies Readonly<Record<string, readonly PortKind[]>>;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds).filter(isFaultKind);

/** The faults of refunds alone, which are drawn with them. */
export const refundFaultKinds = ['pends', 'failsLater', 'overtaken'] as const;

const drawnElsewhere: readonly FaultKind[] = [
  ...(['missing', 'endsLater', 'stopsAfter'] as const),
  ...refundFaultKinds,
];
/** The faults that every plan may draw; `missing` is drawn with the host's changes, `stopsAfter` never. */
export const drawnFaultKinds = allFaultKinds.filter((kind) => !drawnElsewhere.includes(kind));

function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(faultKinds, name);
}

export function canBefall(kind: FaultKind, port: PortKind): boolean {
  const ports: readonly PortKind[] = faultKinds[kind];
  return ports.includes(port);
}
