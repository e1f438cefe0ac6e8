import type {
  CancelCause,
  CloudEvent,
  EpochMs,
  ReconcileReport,
  RefundsView,
  ReviewView,
} from '@chairside/core';
import type {
  Change,
  Dispute,
  KeyRecord,
  Ledger,
  MethodSetup,
  Movement,
  Payment,
  Refund,
  Review,
  SavedMethod,
  Tender,
  Terminal,
} from '@chairside/core/ports';
import type { BookEntry, SetupBookEntry } from '@chairside/testkit';
import type { Alteration, Plan } from '../plan/plan.ts';
import type { Exchange } from './request-log.ts';

/** A promise that was broken. */
export interface Violation {
  readonly rule: Rule;
  readonly what: string;
}

export const rules = {
  charged: 'an appointment is never charged more than it owes, and a payment captured once',
  currency: "an appointment is charged in one currency, its business's",
  refunded: 'a payment is never refunded more than was captured, and once for each key',
  durable: 'what was acknowledged is durable',
  agree: "our records and the processor's agree to the cent",
  sameKey: 'the same key has the same answer, byte for byte',
  retention: 'keys are kept for 72 hours after the end of what they were used for',
  truthful: '"not applied" is never said of what happened or may still happen',
  secret: 'no secret is logged or shown',
  problems: 'every error is a valid problem',
  ends: 'everything ends',
  events: 'events are complete, in order, and add up to the state',
  orphans: 'nothing is left behind at the processor, and nothing canceled that is not ours',
  review: 'each review has a reason, and is listed once until it is settled',
  canceled:
    'a payment is canceled for a reason that was true just then, and after a look at the processor',
  calls: 'a call to the processor is repeated as it was, and in time',
  leases: 'a lease is given up at once when the processor did not answer',
  bound: 'at most 50 payments of an appointment are open',
  setups: 'one key opens one setup, and what was opened is the one that is recorded',
  terminals: 'a device is registered once at a time, and a terminal is there until it is removed',
  erased: 'secrets and keys are forgotten in time, and erased is what was to be erased',
  access: 'nobody sees or changes what is not theirs',
} as const;

export type Rule = keyof typeof rules;

/** Adds a violation unless the promise holds. */
export type Expect = (holds: boolean, rule: Rule, what: () => string) => void;

/** A cancelation at the processor, with the stored payment at that moment. */
interface CancelCall {
  readonly at: EpochMs;
  readonly payment: string;
  readonly stored: Payment | undefined;
  readonly entry: BookEntry | undefined;
}

export interface Claim {
  readonly action: number;
  readonly record: KeyRecord;
  readonly moment: number;
  readonly at: EpochMs;
  /** When its record was withdrawn or its keys were deleted. */
  gone?: number;
  /** Kept for its time; a withdrawn one was never used. */
  isForgotten?: boolean;
}

interface Altered {
  readonly how: Alteration;
  readonly at: EpochMs;
  readonly seenBy: Set<object>;
}

/** A person's word of a payment, or of one of its refunds (D201). */
export interface Said {
  readonly outcome: 'tookPlace' | 'didNotTakePlace';
  readonly of: 'payment' | 'refund';
}

/** The evidence collected while a plan runs. */
export class Evidence {
  readonly plan: Plan;
  readonly exchanges: Exchange[] = [];
  /** The host's applied writes by appointment and by business, the latest last. */
  readonly appointments = new Map<string, AppointmentSnapshot[]>();
  readonly businesses = new Map<string, BusinessSnapshot[]>();
  readonly ledgers = new Map<string, LedgerSnapshot[]>();
  readonly releases: Release[] = [];
  /** By payment, why it is being given up now. */
  readonly releasing = new Map<string, CancelCause>();
  /** Payments whose cancelation the processor refused. */
  readonly refusedCancels = new Set<string>();
  /** Entries for a person, by writes that were applied. */
  readonly reviews: Review[] = [];
  readonly movements: Movement[] = [];
  /** Responses to the host that a lowering left no reserved amount. */
  readonly lowerings: Lowering[] = [];
  /** Each payment as it began, by id. */
  readonly begun = new Map<string, Payment>();
  /** When the request that began a payment began, and when it was written, by id. */
  readonly begunIn = new Map<string, { readonly from: number; readonly moment: number }>();
  /** Payments that were not opened in time, and never will be. */
  readonly closed = new Set<string>();
  /** Charges that were sent to the processor, with their methods, by payment. */
  readonly charges = new Map<string, { readonly method: SavedMethod }>();
  /** Captures by the core that took the money. */
  readonly takes: Take[] = [];
  /** When each payment was recorded as captured, by id. */
  readonly recorded = new Map<string, number>();
  /** Customers that the host has merged or tried to, and those whose merge was acknowledged. */
  readonly merging: { readonly from: string; readonly into: string }[] = [];
  readonly merged = new Set<string>();
  /** Payments that were stored as authorized. */
  readonly authorized = new Set<string>();
  /** Payments with a sent capture. */
  readonly sent = new Set<string>();
  /** Keys that applied writes tied to a payment. */
  readonly claims: Claim[] = [];
  readonly appended: Extract<Change, { kind: 'appendEvent' }>['event'][] = [];
  /** The events that the host's handler accepted, in order. */
  readonly delivered: CloudEvent[] = [];
  readonly cancels: CancelCall[] = [];
  /** The number of open payments by appointment, counted from applied writes. */
  readonly open = new Map<string, number>();
  /** The history of each setup and of each terminal, by id. */
  readonly setups = new Map<string, SetupTrail>();
  readonly terminals = new Map<string, TerminalTrail>();
  /** The history of each refund, by id. */
  readonly refunds = new Map<string, RefundTrail>();
  /** What was paid without a card and what went back of it, by id, in order. */
  readonly tenders = new Map<string, TenderTrail>();
  /** The withheld amount of each dispute, by id. */
  readonly disputes = new Map<
    string,
    { readonly paymentId: string; readonly withheldMinor: bigint }
  >();
  /** By payment, the latest last. */
  readonly returned = new Map<string, ReturnedSnapshot[]>();
  /** The processor's connection tokens, each with its account. */
  readonly tokens = new Map<string, string>();
  /** Actions in which the host erases a customer. */
  readonly erasing = new Set<number>();
  /** Messages of the processor whose responses say that they took effect. */
  readonly applied = new Set<string>();
  /** All texts that may be logged or shown, which must hold no secret. */
  readonly texts = new Set<string>();
  readonly reports: ReconcileReport[] = [];
  /** Accounts that the processor has closed. */
  readonly lost = new Set<string>();
  /** What a person said of payments whose account was lost, by payment. */
  readonly said = new Map<string, Said>();
  /** The list of balances that the processor cannot give now, for days. */
  unlisted: 'listEntries' | 'listPayouts' | undefined;
  /** Payments that a person changed at the processor. */
  readonly changedAtProcessor = new Set<string>();
  /** Changes at the processor, and the tasks that have seen them. */
  readonly altered = new Map<string, Altered>();
  /** The number of the world's own faults, beside those of the plan. */
  worldFaults = 0;
  /** When the faults had stopped and upkeep began to run in time. */
  healedAt: EpochMs = Number.POSITIVE_INFINITY;
  /** Violations that were noticed during the run. */
  readonly faults: Violation[] = [];
  /** Tasks that did not end. */
  readonly hung: string[] = [];

  constructor(plan: Plan) {
    this.plan = plan;
  }
}

export interface AppointmentSnapshot {
  readonly at: EpochMs;
  readonly moment: number;
  readonly dueMinor: bigint;
  readonly barberId: string;
  readonly businessId: string;
  readonly customerId?: string | undefined;
  readonly occursOn?: string;
  readonly isGone?: true;
}

export interface BusinessSnapshot {
  readonly at: EpochMs;
  readonly moment: number;
  readonly account: string | undefined;
  readonly currency: string | undefined;
  readonly basisPoints: number;
}

/** An appointment's ledger, as applied writes made it. */
export interface LedgerSnapshot {
  readonly moment: number;
  readonly reservedMinor: bigint;
  readonly capturedMinor: bigint;
  /** By the tenders themselves, not by the ledger. */
  readonly tenderedMinor: bigint;
  /** Absent while it holds nothing. */
  readonly currency?: string;
}

/** The sums that count as given back of a payment, as applied writes made them. */
export interface ReturnedSnapshot {
  readonly moment: number;
  readonly refundedMinor: bigint;
  readonly disputedMinor: bigint;
}

/** A payment that was given up: as it was written then, why, and while which request. */
export interface Release {
  readonly payment: Payment;
  readonly cause: CancelCause;
  /** When the request began, and when the release was written. */
  readonly from: number;
  readonly moment: number;
}

export interface Lowering {
  readonly appointment: string;
  readonly dueMinor: bigint;
  /** When it was sent, and when the host received the response. */
  readonly from: number;
  readonly to: number;
}

/** The comparison before a capture, and the captured amount. */
export interface Take {
  readonly payment: string;
  readonly appointment: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** When the same task last wrote or sent the payment before. */
  readonly touchedAt: number;
  readonly comparedAt: number;
  readonly dueMinor: bigint;
  readonly moment: number;
}

// The history of one record, from applied writes and the processor's books. Moments, not times:
// they also order two events at the same time.

export interface SetupTrail {
  /** The action that began it. */
  readonly action: number;
  readonly begun: number;
  /** The subject and key that it was begun under. */
  readonly claim?: { readonly subject: string; readonly key: string };
  /** The last stored version. */
  stored: MethodSetup;
  /** When the processor opened sessions for it: as moments, and by its clock. */
  readonly openings: number[];
  readonly openedAt: EpochMs[];
  /** By action, the time of its last read at the processor. */
  readonly looks: Map<number, number>;
  recorded?: number;
  closed?: number;
  closedAt?: EpochMs;
  /** Withdrawn or deleted. */
  deleted?: number;
  /** Its time was over when it was deleted, settled or not (D41), or the host erased it (D47). */
  isOld?: true;
  /** The customer entered a card: as a moment, and by the processor's clock. */
  completed?: number;
  completedAt?: EpochMs;
}

export interface RefundTrail {
  /** The action that recorded it. */
  readonly action: number;
  /** The first stored version: its amount and its flags are frozen. */
  readonly claimed: Refund;
  readonly begunAt: EpochMs;
  /** The last stored version. */
  stored: Refund;
  /** The processor's keys under which it was sent, in order, and those that failed there. */
  readonly keys: string[];
  readonly failedKeys: Set<string>;
  /** When the processor's acceptance was recorded. */
  acceptedAt?: EpochMs;
  /** When its last change of state was recorded. */
  movedAt?: EpochMs;
  isWithdrawn?: true;
}

/** One act: a tender, its return or its void. */
export interface TenderTrail {
  readonly act: Tender;
  readonly moment: number;
  /** What was due at its task's last look. */
  readonly dueMinor: bigint;
}

export interface TerminalTrail {
  readonly terminal: Terminal;
  readonly action: number;
  readonly registered: number;
  gone?: { readonly moment: number; readonly action: number };
}

/** The records here and at the processor, while no request is running. */
export interface State {
  readonly at: EpochMs;
  readonly payments: readonly Payment[];
  readonly ledgers: readonly Ledger[];
  readonly entries: readonly BookEntry[];
  readonly setups: readonly MethodSetup[];
  readonly setupEntries: readonly SetupBookEntry[];
  readonly terminals: readonly Terminal[];
  /** Of captured payments. */
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  readonly tenders: readonly Tender[];
  /** As the host lists the refunds, by payment, where there are some. */
  readonly refundLists: ReadonlyMap<string, RefundsView>;
  /** As the host lists them. */
  readonly reviews: Readonly<Record<'open' | 'resolved', readonly ReviewView[]>>;
}
