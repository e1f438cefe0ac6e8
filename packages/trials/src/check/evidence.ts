import type {
  CancelCause,
  Change,
  CloudEvent,
  Dispute,
  EpochMs,
  KeyRecord,
  Ledger,
  MethodSetup,
  Payment,
  ReconcileReport,
  Refund,
  RefundsView,
  Review,
  ReviewView,
  Terminal,
} from '@chairside/core';
import type { LedgerEntry, SetupLedgerEntry } from '@chairside/testkit';
import type { Alteration, OfficeTask, Plan, Sender } from '../plan/plan.ts';
import type { Violation } from './rules.ts';
import type { RefundTrail, SetupTrail, TerminalTrail } from './trails.ts';

export type PaymentOperation = 'create' | 'capture' | 'cancel' | 'read' | 'get' | 'receipt';
export type RefundOperation = 'refund' | 'listRefunds' | 'getRefund';
export type SetupOperation = 'prepare' | 'readSetup';
export type TerminalOperation =
  | 'register'
  | 'listTerminals'
  | 'getTerminal'
  | 'unregister'
  | 'token'
  | 'release';

/** A request and its response: all that the checks know from the outside. */
export interface Exchange {
  readonly action: number;
  readonly operation:
    | PaymentOperation
    | RefundOperation
    | SetupOperation
    | TerminalOperation
    | OfficeTask;
  readonly as: Sender;
  readonly subject: string;
  /** The barber who asks, if the request is authenticated as one. */
  readonly barberId?: string;
  /** The appointment of the request. */
  readonly appointment?: string;
  readonly key?: string;
  /** The content: two requests with the same text are the same request. */
  readonly asked: string;
  /** The payment of the request, if the sender knows it. */
  readonly payment?: string;
  /** The same for a setup, a terminal and a device. */
  readonly setup?: string;
  readonly terminal?: string;
  readonly device?: string;
  /** Repeated after everything was healed. */
  readonly isLast?: boolean;
  readonly at: EpochMs;
  /** Moments, not times: they also order two events at the same time. */
  readonly from: number;
  /** Absent while it is running. */
  to?: number;
  /** Absent if the connection was lost. */
  answer?: Answer;
  /** The processor's ledger entry of the payment at that moment. */
  entry?: LedgerEntry | undefined;
}

export interface Answer {
  readonly status: number;
  /** The body as it would be sent. */
  readonly text: string;
  readonly type?: string;
  readonly outcome?: 'notApplied' | 'unknown';
  readonly retry?: string;
  /** Why the response is not a valid problem. */
  readonly fault?: string;
}

/** A cancelation at the processor, with the stored payment at that moment. */
export interface CancelCall {
  readonly at: EpochMs;
  readonly payment: string;
  readonly stored: Payment | undefined;
  readonly entry: LedgerEntry | undefined;
}

export interface Claim {
  readonly action: number;
  readonly record: KeyRecord;
  readonly moment: number;
  /** When its record was withdrawn or its keys were deleted. */
  gone?: number;
  /** Kept for its time; a withdrawn one was never used. */
  isForgotten?: boolean;
}

export interface Altered {
  readonly how: Alteration;
  readonly at: EpochMs;
  readonly seenBy: Set<object>;
}

export interface AppointmentTruth {
  readonly at: EpochMs;
  readonly moment: number;
  readonly dueMinor: bigint;
  readonly barberId: string;
  readonly businessId: string;
  readonly isGone?: true;
}

export interface BusinessTruth {
  readonly at: EpochMs;
  readonly moment: number;
  readonly account: string | undefined;
  readonly currency: string | undefined;
  readonly basisPoints: number;
}

/** An appointment's ledger, as applied writes made it. */
export interface LedgerTruth {
  readonly moment: number;
  readonly reservedMinor: bigint;
  readonly capturedMinor: bigint;
  /** Absent while it holds nothing. */
  readonly currency?: string;
}

/** The sums that count as given back of a payment, as applied writes made them. */
export interface ReturnedTruth {
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

/** The evidence collected while a plan runs. */
export interface Evidence {
  readonly plan: Plan;
  readonly exchanges: Exchange[];
  /** The host's applied writes by appointment and by business, the latest last. */
  readonly appointments: Map<string, AppointmentTruth[]>;
  readonly businesses: Map<string, BusinessTruth[]>;
  readonly ledgers: Map<string, LedgerTruth[]>;
  readonly releases: Release[];
  /** By payment, why it is being given up now. */
  readonly releasing: Map<string, CancelCause>;
  /** Payments whose cancelation the processor refused. */
  readonly refusedCancels: Set<string>;
  /** Entries for a person, by writes that were applied. */
  readonly reviews: Review[];
  /** Responses to the host that a lowering left no reserved amount. */
  readonly lowerings: Lowering[];
  /** Each payment as it began, by id. */
  readonly begun: Map<string, Payment>;
  /** When the request that began a payment began, and when it was written, by id. */
  readonly begunIn: Map<string, { readonly from: number; readonly moment: number }>;
  /** Payments that were not opened in time, and never will be. */
  readonly closed: Set<string>;
  /** The time of that by the right clock, by id. */
  readonly begunAt: Map<string, EpochMs>;
  /** Captures by the core that took the money. */
  readonly takes: Take[];
  /** Payments that were stored as authorized. */
  readonly authorized: Set<string>;
  /** Payments with a sent capture. */
  readonly sent: Set<string>;
  /** Keys that applied writes tied to a payment. */
  readonly claims: Claim[];
  readonly appended: Extract<Change, { kind: 'appendEvent' }>['event'][];
  /** The events that the host's handler accepted, in order. */
  readonly delivered: CloudEvent[];
  readonly cancels: CancelCall[];
  /** The number of open payments by appointment, counted from applied writes. */
  readonly open: Map<string, number>;
  /** The history of each setup and of each terminal, by id. */
  readonly setups: Map<string, SetupTrail>;
  readonly terminals: Map<string, TerminalTrail>;
  /** The history of each refund, by id. */
  readonly refunds: Map<string, RefundTrail>;
  /** The withheld amount of each dispute, by id. */
  readonly disputes: Map<string, { readonly paymentId: string; readonly withheldMinor: bigint }>;
  /** By payment, the latest last. */
  readonly returned: Map<string, ReturnedTruth[]>;
  /** The processor's connection tokens, each with its account. */
  readonly tokens: Map<string, string>;
  /** Actions in which the host erases a customer. */
  readonly erasing: Set<number>;
  /** Messages of the processor that took effect, as was answered. */
  readonly applied: Set<string>;
  /** All texts that may be logged or shown, which must hold no secret. */
  readonly texts: Set<string>;
  readonly reports: ReconcileReport[];
  /** Payments that a person changed at the processor. */
  readonly meddled: Set<string>;
  /** Changes at the processor, and the tasks that have seen them. */
  readonly altered: Map<string, Altered>;
  /** The number of the world's own faults, beside those of the plan. */
  worldFaults: number;
  /** When the faults had stopped and upkeep began to run in time. */
  healedAt: EpochMs;
  /** Violations that were noticed during the run. */
  readonly faults: Violation[];
  /** Tasks that did not end. */
  readonly hung: string[];
}

/** The records here and at the processor, while no request is running. */
export interface State {
  readonly at: EpochMs;
  readonly payments: readonly Payment[];
  readonly ledgers: readonly Ledger[];
  readonly entries: readonly LedgerEntry[];
  readonly setups: readonly MethodSetup[];
  readonly setupEntries: readonly SetupLedgerEntry[];
  readonly terminals: readonly Terminal[];
  /** Of captured payments. */
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  /** As the host lists the refunds, by payment, where there are some. */
  readonly refundLists: ReadonlyMap<string, RefundsView>;
  /** The processor can refund. */
  readonly hasRefunds: boolean;
  /** As the host lists them. */
  readonly reviews: {
    readonly open: readonly ReviewView[];
    readonly resolved: readonly ReviewView[];
  };
}

export function noEvidence(plan: Plan): Evidence {
  return {
    plan,
    exchanges: [],
    appointments: new Map(),
    businesses: new Map(),
    ledgers: new Map(),
    releases: [],
    releasing: new Map(),
    refusedCancels: new Set(),
    reviews: [],
    lowerings: [],
    begun: new Map(),
    begunIn: new Map(),
    begunAt: new Map(),
    closed: new Set(),
    takes: [],
    authorized: new Set(),
    sent: new Set(),
    claims: [],
    appended: [],
    delivered: [],
    cancels: [],
    open: new Map(),
    setups: new Map(),
    terminals: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    returned: new Map(),
    tokens: new Map(),
    erasing: new Set(),
    applied: new Set(),
    texts: new Set(),
    reports: [],
    meddled: new Set(),
    altered: new Map(),
    worldFaults: 0,
    healedAt: Number.POSITIVE_INFINITY,
    faults: [],
    hung: [],
  };
}
