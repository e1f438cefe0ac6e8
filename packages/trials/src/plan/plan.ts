/**
 * All that happens in one run, as data: it can be printed, shrunk and committed as a test. What is
 * not stated (how long each call takes) follows from the seed.
 */
export interface Plan {
  readonly seed: number;
  readonly appointments: number;
  readonly actions: readonly Action[];
  readonly faults: readonly PlannedFault[];
  /** Calls a minute that one caller may make; not limited where absent. */
  readonly writesPerMinute?: number;
  /** Drawn with what the host changes, HTTP and clocks that differ. */
  readonly isWide?: boolean;
  /** How far the second node's clock is ahead, until faults stop; it is right where absent. */
  readonly skewMs?: number;
}

/**
 * Who sends a request:
 * - `self`: who it is for; `roleless`: the same person without that role; `other`: another person;
 * - `current`: the appointment's barber, as the host says at that moment;
 * - `expired`: the same person with a token that is not valid; `anonymous`: without a token;
 * - `unsure`: the same person, while the host's authenticator fails.
 *
 * The last three go over HTTP.
 */
export type Sender = 'self' | 'roleless' | 'other' | 'current' | 'expired' | 'anonymous' | 'unsure';

/** What is wrong with a request over HTTP: its JSON, its content type, its length. */
export type Broken = 'json' | 'type' | 'length';

/** How a request is sent: by a call of the use case where absent. */
export interface Via {
  readonly via?: 'http';
  readonly broken?: Broken;
}

export const businessNames = ['shop', 'annex'] as const;
export type BusinessName = (typeof businessNames)[number];

/** What someone changes about a payment at the processor: from then on its ledger says so. */
export type Alteration = 'alterAmount' | 'alterCurrency' | 'alterAccount' | 'alterDeadline';

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

/** `at` is in milliseconds from the beginning. Payments are named by the key they are created with. */
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
      /** The payment whose reference is sent; its own where absent. */
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
  /** The host asks for more. */
  | { readonly does: 'raise'; readonly appointment: number }
  /** The host says what is due in all: less, perhaps. */
  | { readonly does: 'setDue'; readonly appointment: number; readonly due: string }
  /** The host gives the appointment to a barber, of another business perhaps. */
  | {
      readonly does: 'move';
      readonly appointment: number;
      readonly barber: number;
      readonly business: BusinessName;
    }
  /** A barber loses the role, or has it again. */
  | { readonly does: 'setRole'; readonly barber: number; readonly has: boolean }
  /** A business has another account or another currency from now on. */
  | {
      readonly does: 'setAccount';
      readonly business: BusinessName;
      readonly account: string;
      readonly currency: string;
    }
  /** The processor forgets a customer. */
  | { readonly does: 'forgetCustomer'; readonly customer: number }
  /** The shop asks for a captured payment's receipt. */
  | {
      readonly does: 'receipt';
      readonly appointment: number;
      readonly payment: string;
      readonly as?: Sender;
    }
  /** What a business, a barber or anybody who is logged in does beside payments. */
  | ({ readonly does: 'office'; readonly what: OfficeTask; readonly as?: Sender } & Via)
  /** The processor sends its messages: late, twice, in disorder, or not at all. */
  | { readonly does: 'notify'; readonly disorder: number }
  /** The host takes domain events in; its handler refuses one in `refuses`. */
  | { readonly does: 'deliver'; readonly refuses?: number }
  | { readonly does: 'reconcile' }
  /** Someone acts at the processor, behind our back. */
  | {
      readonly does: 'meddle';
      readonly appointment: number;
      readonly payment: string;
      readonly how: 'capture' | 'captureHalf' | 'cancel' | 'refund' | 'dispute' | Alteration;
    }
  /** A customer's app begins to collect a payment method; `setup` is its name in the plan. */
  | {
      readonly does: 'prepare';
      readonly customer: number;
      readonly setup: string;
      readonly save: boolean;
      /** None is required (D23). */
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
  /** The host asks what became of it, as the customer. */
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
  /** The host frees a device, whoever has it. */
  | { readonly does: 'release'; readonly device: string; readonly as?: Sender }
);

/** What befalls the `call`th port call that an action makes, all its requests counted. */
export interface PlannedFault {
  readonly action: number;
  readonly call: number;
  readonly kind: FaultKind;
}

/** What a call is made to: only some faults can befall each. */
export type PortKind = 'read' | 'commit' | 'processor' | 'keyedProcessor' | 'cancel' | 'reading';

const everywhere: readonly PortKind[] = [
  'read',
  'commit',
  'processor',
  'keyedProcessor',
  'cancel',
  'reading',
];
const written: readonly PortKind[] = ['commit', 'keyedProcessor', 'cancel'];
const processor: readonly PortKind[] = ['processor', 'keyedProcessor', 'cancel', 'reading'];
const keyed: readonly PortKind[] = ['keyedProcessor', 'cancel'];

/** Every fault, and the calls that it can befall. */
export const faultKinds = {
  /** Not applied, and said so. */
  fails: everywhere,
  /** Not applied, and nobody can tell. */
  vanishes: written,
  /** Applied, and nobody can tell. */
  losesReply: ['commit', 'keyedProcessor', 'cancel', 'processor', 'reading'],
  /** Delivered twice. */
  repeats: written,
  /** Nobody can tell, and it is applied long after the caller has given up. */
  landsLater: keyed,
  /** The caller stands still for longer than its lease, then makes the call. */
  stallsBefore: everywhere,
  /** Applied; the caller stands still for longer than its lease before it goes on. */
  stallsAfter: everywhere,
  /** The caller's process dies before the call, or after it was applied. */
  crashesBefore: everywhere,
  crashesAfter: everywhere,
  /** The processor's internal error, stored under the key; not applied, or applied after all. */
  breaks: processor,
  breaksAfterApplying: keyed,
  /** The processor says that it has no such payment, although a capture may have been sent. */
  missing: ['reading', 'cancel'],
  /** The processor's refusals. */
  rateLimited: processor,
  notSetUp: processor,
  rejects: keyed,
} as const satisfies Readonly<Record<string, readonly PortKind[]>>;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds).filter(isFaultKind);

/** Those that every plan may draw; `missing` is drawn with what the host changes. */
export const drawnFaultKinds = allFaultKinds.filter((kind) => kind !== 'missing');

function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(faultKinds, name);
}

export function canBefall(kind: FaultKind, port: PortKind): boolean {
  const ports: readonly PortKind[] = faultKinds[kind];
  return ports.includes(port);
}
