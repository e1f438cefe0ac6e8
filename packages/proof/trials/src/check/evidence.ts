import type { CancelCause, CloudEvent, EpochMs, ReconcileReport } from '@chairside/core';
import type {
  Change,
  KeyRecord,
  Movement,
  Payment,
  Review,
  SavedMethod,
} from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import type { Alteration } from '../plan/action.ts';
import type { Plan } from '../plan/plan.ts';
import type { Exchange } from './request-log.ts';
import type { Violation } from './rules.ts';
import type {
  AppointmentSnapshot,
  BusinessSnapshot,
  LedgerSnapshot,
  Lowering,
  Release,
  ReturnedSnapshot,
  Take,
} from './snapshots.ts';
import type { RefundTrail, SetupTrail, TenderTrail, TerminalTrail } from './trails.ts';

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
