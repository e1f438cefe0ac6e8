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
  /** Includes the host's changes, HTTP and wrong clocks. */
  readonly isWide?: boolean;
  /** How far the second node's clock is ahead until the faults stop; 0 if absent. */
  readonly skewMs?: number;
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

/** A change of a payment at the processor, which its ledger shows from then on. */
export type Alteration = 'alterAmount' | 'alterCurrency' | 'alterAccount' | 'alterDeadline';

/**
 * Money that goes back at the processor: an operator refunds all that was captured, or 5.00; or 5.00
 * without any message of it. The last refund fails. The cardholder disputes the payment; the dispute ends.
 */
export type MoneyBackChange =
  | 'refund'
  | 'refundPart'
  | 'refundUnheard'
  | 'refundFails'
  | 'dispute'
  | 'winDispute'
  | 'loseDispute';

export const officeTasks = [
  'readPayouts',
  'removeAccount',
  'removeDefaultAccount',
  'removeSchedule',
  'listChallengeMethods',
] as const;
export type OfficeTask = (typeof officeTasks)[number];

/** One kind of action. */
export type Does<D extends Action['does']> = Extract<Action, { readonly does: D }>;

/** `at` is in milliseconds from the start. Payments are named by the key of their creation. */
export type Action = { readonly id: number; readonly at: number } & (
  | ({
      readonly does: 'create';
      readonly appointment: number;
      readonly key: string;
      readonly amount?: string;
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
  /** Requests of a business, a barber or any logged-in user beside payments. */
  | ({ readonly does: 'office'; readonly what: OfficeTask; readonly as?: Sender } & Via)
  /** The processor sends its messages: late, twice, in disorder, or not at all. */
  | { readonly does: 'notify'; readonly disorder: number }
  /** The host handles domain events; its handler rejects one in `refuses`. */
  | { readonly does: 'deliver'; readonly refuses?: number }
  | { readonly does: 'reconcile' }
  /** A person acts at the processor directly. */
  | {
      readonly does: 'meddle';
      readonly appointment: number;
      readonly payment: string;
      readonly how: 'capture' | 'captureHalf' | 'cancel' | MoneyBackChange | Alteration;
    }
  /** The shop gives money of a payment back. Without an amount, all that is left. */
  | ({
      readonly does: 'refund';
      readonly appointment: number;
      readonly payment: string;
      readonly key: string;
      readonly amount?: string;
      readonly taps?: number;
      readonly as?: Sender;
    } & Via)
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

/** The fault of an action's `call`th port call, counted over all its requests. */
export interface PlannedFault {
  readonly action: number;
  readonly call: number;
  readonly kind: FaultKind;
}

/** The kind of a call. Each kind can have only some of the faults. */
export type PortKind =
  | 'read'
  | 'commit'
  | 'processor'
  | 'keyedProcessor'
  | 'cancel'
  | 'reading'
  | 'refund';

const everywhere: readonly PortKind[] = [
  'read',
  'commit',
  'processor',
  'keyedProcessor',
  'cancel',
  'reading',
  'refund',
];
const written: readonly PortKind[] = ['commit', 'keyedProcessor', 'cancel', 'refund'];
const processor: readonly PortKind[] = [
  'processor',
  'keyedProcessor',
  'cancel',
  'reading',
  'refund',
];
const keyed: readonly PortKind[] = ['keyedProcessor', 'cancel', 'refund'];

/** Every fault, with the kinds of call that can have it. */
export const faultKinds = {
  /** Not applied, with a definite error. */
  fails: everywhere,
  /** Not applied, with an unknown outcome. */
  vanishes: written,
  /** Applied, with an unknown outcome. */
  losesReply: ['commit', 'keyedProcessor', 'cancel', 'processor', 'reading', 'refund'],
  /** Delivered twice. */
  repeats: written,
  /** The outcome is unknown, and the call is applied long after the caller has given up. */
  landsLater: keyed,
  /** The caller pauses for longer than its lease, then makes the call. */
  stallsBefore: everywhere,
  /** Applied; the caller pauses for longer than its lease before it continues. */
  stallsAfter: everywhere,
  /** The caller's process dies before the call, or after it was applied. */
  crashesBefore: everywhere,
  crashesAfter: everywhere,
  /** The processor's internal error, stored under the key; applied or not. */
  breaks: processor,
  breaksAfterApplying: keyed,
  /** The processor denies knowing the payment, although a capture may have been sent. */
  missing: ['reading', 'cancel'],
  /** The processor's rejections. */
  rateLimited: processor,
  notSetUp: processor,
  rejects: keyed,
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

const drawnElsewhere: readonly FaultKind[] = ['missing', ...refundFaultKinds];
/** The faults that every plan may draw; `missing` is drawn with the host's changes. */
export const drawnFaultKinds = allFaultKinds.filter((kind) => !drawnElsewhere.includes(kind));

function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(faultKinds, name);
}

export function canBefall(kind: FaultKind, port: PortKind): boolean {
  const ports: readonly PortKind[] = faultKinds[kind];
  return ports.includes(port);
}
