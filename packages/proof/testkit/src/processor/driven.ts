import type { MaybePromise, SimulatedProcessor } from './simulated.ts';

/** The calls that the specs count and make fail. */
export type DrivenCall =
  | 'openPayment'
  | 'authorizeMethod'
  | 'readPayment'
  | 'capturePayment'
  | 'cancelPayment'
  | 'createConnectionToken'
  | 'openSetup'
  | 'cancelSetup'
  | 'refund';

/** Faults of one request, at the processor or on the way. "Applied" means that its books show the effect. */
export type WireFault =
  /** Never arrives. `unavailable`, `unknown`. */
  | 'timeoutBeforeApplying'
  /** Applied, and never answered. `unavailable`, `unknown`. */
  | 'timeoutAfterApplying'
  /** Applied, then the connection is reset. `unavailable`, `unknown`. */
  | 'lostReply'
  /** The connection is refused. `unavailable`, `notApplied`. */
  | 'refused'
  | 'rateLimited'
  /** Not applied; the account is refused. Stored under the key, and then `repeated`. */
  | 'notSetUp'
  /** Not applied; an internal error of the processor, stored and replayed under the key. */
  | 'failure'
  /** Like `failure`, but applied. */
  | 'failureAfterApplying'
  /** Not applied; a rejection, stored and replayed under the key. */
  | 'rejected';

/** Faults of one call. All but `WireFault` delay the call, or give it up. */
export type DrivenFault =
  | WireFault
  /** Sent only at `release()`. */
  | 'slow'
  /** Sent at once; the reply is held until `release()`. */
  | 'slowReply'
  /** `unavailable`, `unknown`; sent when `landAbandoned()` is called, at any later time. */
  | 'landsLater';

/**
 * A processor that a spec can drive: it presents cards, makes calls fail and reads the books. The
 * fake is one, and `driveProcessor` makes one of any adapter.
 */
export interface DrivenProcessor extends SimulatedProcessor {
  /** Cards that it cannot present: their specs are skipped. Default: none. */
  readonly lacksCards?: readonly string[];
  /** Gives the next `times` calls (default: one) of that name this fault. */
  failNext(call: DrivenCall, fault: DrivenFault, times?: number): void;
  /** How many calls of that name were made. */
  count(call: DrivenCall): { readonly made: number };
  /** Resumes every held call (`slow`, `slowReply`) and returns their number. */
  release(): number;
  /** Sends every call with the fault `landsLater` and returns their number. */
  landAbandoned(): MaybePromise<number>;
  /** From now on, calls for this account return `notSetUp`. */
  disableAccount(account: string): MaybePromise<void>;
  enableAccount(account: string): MaybePromise<void>;
  /** From now on, this location gets no connection token. */
  rejectLocation(terminalLocation: string): MaybePromise<void>;
}
