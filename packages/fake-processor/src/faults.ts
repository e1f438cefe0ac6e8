/** The calls of the port. */
export const callNames = [
  'openPayment',
  'authorizeMethod',
  'readPayment',
  'capturePayment',
  'cancelPayment',
  'createConnectionToken',
  'listPayments',
  'readReceipt',
  'openSetup',
  'readSetup',
  'cancelSetup',
  'parseEvent',
  'refund',
  'listRefunds',
  'listRecentRefunds',
  'listDisputes',
  'listRecentDisputes',
  'listEntries',
  'listPayouts',
] as const;
export type CallName = (typeof callNames)[number];

/** The platform's account. It holds setups and events, but no payments (D23). */
export const platformAccount = 'platform';

/** One call, before it is sent, for scripts and simulators. */
export interface ProcessorCall {
  readonly name: CallName;
  /** The account of the call; {@link platformAccount} for setups and events. */
  readonly account: string;
  readonly paymentId?: string;
  readonly setupId?: string;
  readonly idempotencyKey?: string;
}

/** Faults of a call. "Applied" means that the books show the effect. */
export const faultKinds = [
  /**
   * Held at the processor, with its key in flight, until `release()`; then applied, with a reply.
   */
  'slow',
  /** Applied at once; the reply is held until `release()`. */
  'slowReply',
  /** Never arrives. `unavailable`, `unknown`. */
  'timeoutBeforeApplying',
  /** Applied. `unavailable`, `unknown`. */
  'timeoutAfterApplying',
  /** `unavailable`, `unknown`; applied when `landAbandoned()` is called, at any later time. */
  'landsLater',
  /** Applied, then the connection is reset. `unavailable`, `unknown`. */
  'lostReply',
  /** The connection is refused. `unavailable`, `notApplied`. */
  'refused',
  'rateLimited',
  /** Not applied; the account is refused. Stored under the key, and then `repeated`. */
  'notSetUp',
  /** Not applied; an internal error of the processor, stored and replayed under the key. */
  'failure',
  /** Like `failure`, but applied. */
  'failureAfterApplying',
  /** Not applied; a rejection, stored and replayed under the key. */
  'rejected',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Queued faults, in order, for the calls that they were scripted for. */
export function createScript() {
  const waiting = new Map<CallName, FaultKind[]>();
  return {
    failNext(name: CallName, fault: FaultKind, times = 1): void {
      const more = Array.from({ length: times }, () => fault);
      waiting.set(name, [...(waiting.get(name) ?? []), ...more]);
    },
    take: (name: CallName) => waiting.get(name)?.shift(),
  };
}
