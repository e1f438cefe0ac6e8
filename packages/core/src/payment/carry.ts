import { report, tell } from '../frame/commit.ts';
import type { Measured, Ports, SharedClock } from '../ports/ports.ts';
import type { PaymentHandle, ProcessorError, VisitMarks } from '../ports/processor.ts';
import type { CommitError, Store, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result, type ResultAsync } from '../values/result.ts';
import { type EpochMs, hourMs, minuteMs, secondMs } from '../values/time.ts';
import { type Running, running } from './faults.ts';
import type { Payment, Work } from './payment.ts';

/**
 * Calls the processor. An adapter that throws, or returns an error that the port does not have, breaks its
 * contract, and the outcome of the call is then unknown.
 */
export async function ask<T>(
  ports: Ports,
  name: string,
  call: () => ResultAsync<T, ProcessorError>,
): Promise<Result<T, ProcessorError>> {
  const startedAt = ports.clock.now();
  const { endsAt = Number.POSITIVE_INFINITY } = ports;
  const result = startedAt < endsAt ? await answerOf(ports, name, call) : err(notCalled);
  const outcome = result.isOk() ? 'ok' : outcomeOf(result.error);
  report(ports, { kind: 'processorCall', name, outcome }, startedAt);
  return result;
}

/** An operator looks for an outage of the processor elsewhere than for a wrong key. */
function outcomeOf(error: ProcessorError): string {
  // Stryker disable next-line ConditionalExpression: no other error says why.
  return error.kind === 'unavailable' ? (error.why ?? error.kind) : error.kind;
}

/** The request's time is over: the call was not sent, so it was not applied. */
const notCalled: ProcessorError = { kind: 'unavailable', outcome: 'notApplied', answered: false };

async function answerOf<T>(
  ports: Ports,
  name: string,
  call: () => ResultAsync<T, ProcessorError>,
): Promise<Result<T, ProcessorError>> {
  try {
    const answer = await call();
    if (answer.isOk()) return answer.map(usableOf);
    if (isOfPort(answer.error)) return answer;
    tell(ports.onFailure, answer.error, { name });
  } catch (thrown) {
    tell(ports.onFailure, thrown, { name });
  }
  return err({ kind: 'unavailable', outcome: 'unknown', answered: false });
}

const proving = new Set<unknown>(['notSetUp', 'rejected', 'rateLimited']);
const outcomes = new Set<unknown>(['notApplied', 'unknown']);

/** Adapters without types may return what their client threw. Taken for a refusal, the request would be sent once more. */
function isOfPort(error: ProcessorError | undefined): boolean {
  return error?.kind === 'unavailable' ? outcomes.has(error.outcome) : proving.has(error?.kind);
}

const times = new Set(['at', 'openedAt', 'authorizedAt', 'captureBefore', 'capturedAt']);

/**
 * Leaves out what adapters without types return for a missing member: null, an empty reference, or a time that is
 * not in whole milliseconds.
 */
function usableOf<T>(answer: T): T {
  // cast: in the port, an answer without an entry is `undefined`
  if (answer === null) return undefined as T;
  if (typeof answer !== 'object' || Array.isArray(answer)) return answer;
  const members = Object.entries(answer);
  const usable = members.filter(
    ([name, member]) =>
      member !== null &&
      !(name === 'reference' && member === '') &&
      !(times.has(name) && member !== undefined && !Number.isSafeInteger(member)),
  );
  // cast: only members that the port does not allow are left out
  return usable.length === members.length ? answer : (Object.fromEntries(usable) as T);
}

/** Returns the books that list an account's payments. The name of books maps to itself. */
export function booksOf({ processor }: Ports, account: string): string {
  return processor.booksOf?.(account) ?? account;
}

export function handleOf(ports: Ports, payment: Payment): PaymentHandle {
  return {
    account: payment.account,
    paymentId: payment.id,
    installation: ports.installation,
    begunAt: payment.createdAt,
    now: ports.clock.now(),
    ...(payment.reference !== undefined && { reference: payment.reference }),
  };
}

/** What the processor keeps of a payment's visit. A repeated request states the same. */
export function visitOf({ appointment, businessId, charge, shares = [] }: Payment): VisitMarks {
  const others = shares.filter(({ appointmentId }) => appointmentId !== appointment.id);
  const alsoPays = others.map(({ appointmentId, barberId, amountMinor }) => {
    return { appointmentId, barberId, amount: formatMoney(amountMinor) };
  });
  return {
    appointmentId: appointment.id,
    businessId,
    barberId: appointment.barber.id,
    ...(charge !== undefined && { purpose: charge.purpose }),
    ...(alsoPays.length > 0 && { alsoPays }),
  };
}

/** The processor's idempotency key: our own, never the client's. */
export function processorKey(
  { id, work }: { readonly id: string; readonly work: Work },
  call: 'open' | 'capture' | 'cancel' | 'refund',
): string {
  return `${id}:${call}:${work.attempt}`;
}

/**
 * Whether the next attempt needs a new key. A read has shown that the call was not applied, and
 * the processor replied with a failure, which it replays for ever under that key, even after the
 * account was set up again. So the next attempt needs another key. A call that was cut off
 * keeps its key, because it may still arrive. For a capture and a cancelation only: a payment has one of
 * each under any key.
 */
export function needsNewKey(error: ProcessorError): boolean {
  return error.kind === 'rejected' || error.kind === 'notSetUp' || isKept(error);
}

/** Whether the processor keeps this reply for the key, so that no request of the key still runs. */
export function isKept(error: ProcessorError): boolean {
  return (
    (error.kind === 'unavailable' && error.answered) ||
    (error.kind === 'notSetUp' && error.repeated === true)
  );
}

/** An end whose outcome is not known: the request was applied, or still may be. */
export interface LeftUnknown {
  readonly next: 'unknown';
  /** The next attempt needs a new key: see {@link needsNewKey}. */
  readonly needsNewKey: boolean;
}

export function leftUnknown(needsNewKey = false): LeftUnknown {
  return { next: 'unknown', needsNewKey };
}

export function readAtProcessor(ports: Ports, payment: Payment, claimed?: string) {
  return ask(ports, 'readPayment', () =>
    ports.processor.readPayment(handleOf(ports, payment), claimed),
  );
}

/** Whether this call had no effect. An earlier one may have been applied. */
export function didNothing(error: ProcessorError): boolean {
  return error.kind !== 'unavailable' || error.outcome === 'notApplied';
}

// Work at the processor: a call takes a record over, carries the work, and commits its end.

export type Written<T, E = never> = Promise<Result<T, E | CommitError>>;

/** Writes that this call holds the record until the lease of this work ends. */
export type Hold<R, Held> = (ports: Ports, record: R, work: Work) => Written<Held>;

/** The claim of a key was withdrawn between two reads, so the key is new again and the run restarts. */
export const claimWithdrawn: StoreConflict = { kind: 'storeConflict', change: 'insertKey' };

/** Takes over a record's interrupted work; 409 running if its holder is alive. */
export async function takeOver<R, Held>(
  ports: Ports,
  record: R,
  before: Work,
  hold: Hold<R, Held>,
): Written<Held, Running> {
  const taken = takeOverFrom(ports, before);
  return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);
}

/** How work of one kind is carried. `Next` is a decision: the name of a step, or an end. */
export interface Course<R, Seen, Next, Step extends string, Done, E> {
  /** Decides the next step or the end, from what is known. */
  readonly decide: (held: R, seen: Seen) => Next;
  /** The steps by their names. Each returns the facts that it learned. */
  readonly steps: { readonly [S in Step]: (held: R) => Promise<Partial<Seen>> };
  /** The step that must directly follow the one before, without a renewal of the lease between, even if it ran out. */
  readonly direct?: NoInfer<Step>;
  readonly hold: Hold<R, R>;
  /** Commits the end and returns the response. */
  readonly end: (
    held: R,
    end: Exclude<Next, { readonly next: NoInfer<Step> }>,
  ) => Promise<Result<Done, E>>;
}

/**
 * Carries work that this call holds to its end: decides, takes the step, and decides again. The lease
 * covers one processor call, so it is renewed before a step if much of it is used up.
 */
export async function carry<
  R extends { readonly work: Work },
  Seen,
  Next extends { readonly next: string },
  Step extends string,
  Done,
  E,
>(
  ports: Ports,
  record: R,
  known: Seen,
  { decide, steps, direct, hold, end }: Course<R, Seen, Next, Step, Done, E>,
): Written<Done, E> {
  const isStep = (decided: Next): decided is Next & { readonly next: Step } =>
    decided.next in steps;
  let held = record;
  let seen = known;
  let isRenewed = false;
  for (;;) {
    const decided = decide(held, seen);
    // cast: a decision that names no step is an end
    if (!isStep(decided)) return end(held, decided as Exclude<Next, { readonly next: Step }>);
    if (!isRenewed && decided.next !== direct && isRunningOut(ports, held.work)) {
      const kept = await hold(ports, held, renewed(ports, held.work));
      if (kept.isErr()) return err(kept.error);
      held = kept.value;
      // Decides anew, because the write may have taken long.
      isRenewed = true;
      continue;
    }
    isRenewed = false;
    seen = { ...seen, ...(await steps[decided.next](held)) };
  }
}

// A call holds a payment by a lease while it works on it. The fence identifies the holder (D20).

/** The work of a payment that this call now holds. */
export function lease(ports: Ports, work: Pick<Work, 'kind' | 'cause' | 'fence'>): Work {
  return { ...work, attempt: 1, leaseUntil: leaseEnd(ports) };
}

export function renewed(ports: Ports, work: Work): Work {
  return { ...work, leaseUntil: leaseEnd(ports) };
}

/**
 * The same work, released for the next holder at once.
 * @param needsNewKey the next attempt needs a new key.
 */
export function giveUp(work: Work, now: EpochMs, needsNewKey = false): Work {
  return { ...work, attempt: work.attempt + Number(needsNewKey), leaseUntil: now };
}

/** 409 running if another call holds the payment. */
export function notHeld(ports: Ports, { work }: Pick<Payment, 'work'>): Result<void, Running> {
  return work !== undefined && isHeld(ports, work) ? err(running()) : ok();
}

/** The longest lease on any node. A later end comes from a wrong clock. */
const longestLeaseMs = hourMs;

function isHeld(ports: Ports, { leaseUntil }: Work): boolean {
  const now = ports.clock.now();
  return leaseUntil > now && leaseUntil <= now + longestLeaseMs;
}

/** For the commits before and after the one processor call that a lease covers. */
const commitsMs = 5 * secondMs;

function leaseEnd(ports: Ports): EpochMs {
  return ports.clock.now() + leaseMs(ports);
}

function leaseMs({ processor }: Ports): number {
  const coversMs = processor.deadlineMs + commitsMs;
  // An adapter whose deadline is not a number may take any time.
  return coversMs <= longestLeaseMs ? Math.max(coversMs, commitsMs) : longestLeaseMs;
}

/** Whether the lease is too short for one more processor call and must be renewed. */
export function isRunningOut(ports: Ports, { leaseUntil }: Work): boolean {
  return leaseUntil - ports.clock.now() < leaseMs(ports) - commitsMs / 2;
}

/** The same work, taken over from a holder that died or gave up; otherwise 409 running. */
export function takeOverFrom(ports: Ports, work: Work): Result<Work, Running> {
  return isHeld(ports, work)
    ? err(running())
    : ok({ ...work, fence: work.fence + 1, leaseUntil: leaseEnd(ports) });
}

const firstWaitMs = 5 * secondMs;
const longestBackoffMs = hourMs;

/** The wait before `reconcile`'s next check: doubled after each failed check, up to an hour. */
export function backoffMs(checks: number): number {
  return Math.min(longestBackoffMs, firstWaitMs * 2 ** Math.min(checks, 20));
}

// Age is measured by a clock that all nodes share. So a node with a wrong clock does not cancel or
// delete too early (D42).

/**
 * The time for measuring age: the processor's, if its reply states one; else the database server's;
 * else the node's.
 * @param comparedWith the only time that it is compared with. The database is not asked long before it:
 * a request's clock, which is corrected, is wrong by less.
 */
export async function timeOf(
  ports: Ports,
  seen?: { readonly at?: EpochMs },
  comparedWith = Number.NEGATIVE_INFINITY,
): Promise<Result<EpochMs, StoreUnavailable>> {
  if (seen?.at !== undefined) return ok(seen.at);
  const now = ports.clock.now();
  const isFar = now + 2 * staleMs < comparedWith;
  return isFar || ports.store.now === undefined ? ok(now) : ports.store.now();
}

/**
 * In use, the difference is measured again this often, in the background. Until then a clock that was set by less than
 * an hour is wrong: what releases money asks {@link timeOf}, and the keys at the processor leave two hours.
 */
const refreshMs = minuteMs;
/**
 * After this long without a measurement the node was idle, or its clock was set. The next operation then
 * waits for one.
 */
const staleMs = hourMs;
/** The process stood still during a measurement that takes longer, or its clock was set. */
const longestMs = 10 * secondMs;
/** A smaller difference is not corrected, so that the time of a node does not go back and forth. */
const toleranceMs = secondMs;

const notTold: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/** `undefined` if the store has no clock: the node's counts, which is the only one. */
export function createSharedClock(
  store: Store,
  { clock, background }: Pick<Ports, 'clock' | 'background'>,
): SharedClock | undefined {
  const askStore = store.now?.bind(store);
  if (askStore === undefined) return undefined;
  let known: Measured = err(notTold);
  let measuredAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<Measured> | undefined;

  const measure = async (): Promise<Measured> => {
    const before = clock.now();
    const told = await askStore();
    const after = clock.now();
    if (told.isErr() || after < before || after - before > longestMs) return known;
    const aheadMs = Math.round((before + after) / 2) - told.value;
    const correctedMs = known.unwrapOr(0);
    known = ok(Math.abs(aheadMs - correctedMs) < toleranceMs ? correctedMs : aheadMs);
    measuredAt = after;
    return known;
  };

  return {
    aheadMs() {
      const now = clock.now();
      // It may have been set back, too.
      const ageMs = Math.abs(now - measuredAt);
      if (ageMs >= staleMs) {
        running ??= measure().finally(() => {
          running = undefined;
        });
        return running;
      }
      if (ageMs >= refreshMs && Math.abs(now - triedAt) >= refreshMs) {
        triedAt = now;
        background(async () => {
          known = await measure();
        });
      }
      return known;
    },
  };
}
