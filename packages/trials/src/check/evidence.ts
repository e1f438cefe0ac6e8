import type {
  CancelCause,
  Change,
  CloudEvent,
  EpochMs,
  KeyRecord,
  Payment,
  ReconcileReport,
  Review,
} from '@chairside/core';
import type { LedgerEntry } from '@chairside/testkit';
import type { Alteration } from '../plan/action.ts';
import type { Plan } from '../plan/plan.ts';
import type { Exchange } from './request-log.ts';
import type { Violation } from './rules.ts';
import type { RefundTrail, SetupTrail, TerminalTrail } from './trails.ts';
import type {
  AppointmentTruth,
  BusinessTruth,
  LedgerTruth,
  Lowering,
  Release,
  ReturnedTruth,
  Take,
} from './truths.ts';

/** A cancelation at the processor, with the stored payment at that moment. */
interface CancelCall {
  readonly at: EpochMs;
  readonly payment: string;
  readonly stored: Payment | undefined;
  readonly entry: LedgerEntry | undefined;
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
  /** Messages of the processor whose responses say that they took effect. */
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
