import type {
  Change,
  CloudEvent,
  EpochMs,
  KeyRecord,
  Ledger,
  MethodSetup,
  Payment,
  ReconcileReport,
  Terminal,
} from '@chairside/core';
import type { LedgerEntry, SetupLedgerEntry } from '@chairside/testkit';
import type { Alteration, OfficeTask, Plan, Sender } from '../plan/plan.ts';
import type { Violation } from './rules.ts';
import type { SetupTrail, TerminalTrail } from './trails.ts';

export type PaymentOperation = 'create' | 'capture' | 'cancel' | 'read' | 'get' | 'receipt';
export type SetupOperation = 'prepare' | 'readSetup';
export type TerminalOperation =
  | 'register'
  | 'listTerminals'
  | 'getTerminal'
  | 'unregister'
  | 'token'
  | 'release';

/** A request, and what its sender learned: all that the checks know of the outside. */
export interface Exchange {
  readonly action: number;
  readonly operation: PaymentOperation | SetupOperation | TerminalOperation | OfficeTask;
  readonly as: Sender;
  readonly subject: string;
  /** The barber who asks, where the request is let in as one. */
  readonly barberId?: string;
  /** The appointment it is about. */
  readonly appointment?: string;
  readonly key?: string;
  /** What was asked: two requests with the same text are the same request. */
  readonly asked: string;
  /** The payment it is about, where the sender knows one. */
  readonly payment?: string;
  /** The same of a setup, of a terminal, and of a device. */
  readonly setup?: string;
  readonly terminal?: string;
  readonly device?: string;
  /** Asked once more after everything was healed. */
  readonly isLast?: boolean;
  readonly at: EpochMs;
  /** Moments, not times: of two things at one time they still say which was first. */
  readonly from: number;
  /** Absent as long as it is on its way. */
  to?: number;
  /** Absent where the connection was lost. */
  answer?: Answer;
  /** What the processor's ledger said of the payment just then. */
  entry?: LedgerEntry | undefined;
}

export interface Answer {
  readonly status: number;
  /** The body as it would be sent. */
  readonly text: string;
  readonly type?: string;
  readonly outcome?: 'notApplied' | 'unknown';
  readonly retry?: string;
  /** Why the answer is no valid problem, if it is none. */
  readonly fault?: string;
}

/** A payment that was canceled at the processor, and what the store held of it just then. */
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
  /** When its record was withdrawn or its keys were forgotten. */
  gone?: number;
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
}

export interface BusinessTruth {
  readonly at: EpochMs;
  readonly moment: number;
  readonly account: string | undefined;
  readonly currency: string | undefined;
}

export interface Lowering {
  readonly appointment: string;
  readonly dueMinor: bigint;
  /** When it was sent, and when the host had the answer. */
  readonly from: number;
  readonly to: number;
}

/** What was compared before a capture was sent, and what the capture took. */
export interface Take {
  readonly payment: string;
  readonly appointment: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** When the payment was written or sent last before that, by the same task. */
  readonly touchedAt: number;
  readonly comparedAt: number;
  readonly dueMinor: bigint;
  readonly moment: number;
}

/** What was collected while a plan ran. */
export interface Evidence {
  readonly plan: Plan;
  readonly exchanges: Exchange[];
  /** By appointment and by business, what applied writes of the host said, the latest last. */
  readonly appointments: Map<string, AppointmentTruth[]>;
  readonly businesses: Map<string, BusinessTruth[]>;
  /** Answers to the host that nothing was reserved any more when it lowered what is due. */
  readonly lowerings: Lowering[];
  /** By id, each payment as it was begun. */
  readonly begun: Map<string, Payment>;
  /** By id, when that was, by the right clock. */
  readonly begunAt: Map<string, EpochMs>;
  /** Captures that were sent by the core and took the money. */
  readonly takes: Take[];
  /** Payments that were stored as authorized. */
  readonly authorized: Set<string>;
  /** Payments of which a capture was sent. */
  readonly sent: Set<string>;
  /** Keys that were tied to a payment, by writes that were applied. */
  readonly claims: Claim[];
  readonly appended: Extract<Change, { kind: 'appendEvent' }>['event'][];
  /** What the host's handler took in, in order. */
  readonly delivered: CloudEvent[];
  readonly cancels: CancelCall[];
  /** Open payments by appointment, as applied writes count them. */
  readonly open: Map<string, number>;
  /** By id, what became of each setup and of each terminal. */
  readonly setups: Map<string, SetupTrail>;
  readonly terminals: Map<string, TerminalTrail>;
  /** Connection tokens that the processor made, with the account that each is for. */
  readonly tokens: Map<string, string>;
  /** All that may be logged or shown: no secret may be in it. */
  readonly texts: Set<string>;
  readonly reports: ReconcileReport[];
  /** Payments that someone touched behind our back. */
  readonly meddled: Set<string>;
  /** Payments that someone changed at the processor, and who has been shown that since. */
  readonly altered: Map<string, Altered>;
  /** Faults of the world's own making, beside those of the plan. */
  worldFaults: number;
  /** What was seen to be wrong while it happened. */
  readonly faults: Violation[];
  /** What did not come to an end. */
  readonly hung: string[];
}

/** What is stored, here and at the processor, at one moment when nothing is under way. */
export interface State {
  readonly at: EpochMs;
  readonly payments: readonly Payment[];
  readonly ledgers: readonly Ledger[];
  readonly entries: readonly LedgerEntry[];
  readonly setups: readonly MethodSetup[];
  readonly setupEntries: readonly SetupLedgerEntry[];
  readonly terminals: readonly Terminal[];
}

export function noEvidence(plan: Plan): Evidence {
  return {
    plan,
    exchanges: [],
    appointments: new Map(),
    businesses: new Map(),
    lowerings: [],
    begun: new Map(),
    begunAt: new Map(),
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
    tokens: new Map(),
    texts: new Set(),
    reports: [],
    meddled: new Set(),
    altered: new Map(),
    worldFaults: 0,
    faults: [],
    hung: [],
  };
}
