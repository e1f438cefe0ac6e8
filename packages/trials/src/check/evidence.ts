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
import type { Plan, Sender } from '../plan/plan.ts';
import type { Violation } from './rules.ts';
import type { SetupTrail, TerminalTrail } from './trails.ts';

export type PaymentOperation = 'create' | 'capture' | 'cancel' | 'read';
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
  readonly operation: PaymentOperation | SetupOperation | TerminalOperation;
  readonly as: Sender;
  readonly subject: string;
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

/** What was collected while a plan ran. */
export interface Evidence {
  readonly plan: Plan;
  readonly exchanges: Exchange[];
  /** By appointment, what was due from when on. */
  readonly dues: Map<string, { readonly at: EpochMs; readonly minor: bigint }[]>;
  /** Keys that were tied to a payment, by writes that were applied. */
  readonly claims: { readonly action: number; readonly record: KeyRecord }[];
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
    dues: new Map(),
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
    worldFaults: 0,
    faults: [],
    hung: [],
  };
}
