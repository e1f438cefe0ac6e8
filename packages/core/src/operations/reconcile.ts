import { commit } from '../call/commit.ts';
import { withoutDeadline } from '../call/deadline.ts';
import { toLimit } from '../call/limit.ts';
import {
  type CommonProblem,
  hostCaller,
  nameOf,
  perform,
  type StepError,
} from '../call/perform.ts';
import { report, valueOrReport } from '../call/report.ts';
import { remainingMinor } from '../domain/appointment.ts';
import { followLedger, forReview, isPartial, withoutUnsettled } from '../domain/follow-ledger.ts';
import {
  erasedSecret,
  isFinal,
  isOpened,
  keyRetentionMs,
  nextLook,
  type Payment,
  type PaymentAtWork,
  reviewAfterMs,
} from '../domain/payment.ts';
import { type ProblemOf, unavailable } from '../domain/problem.ts';
import { err, type ResultAsync, resultOf, type Steps } from '../domain/result.ts';
import { type EpochMs, hourMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { readAtProcessor } from '../work/ask.ts';
import { cancel, releasePartial } from '../work/canceling.ts';
import { finishCapture } from '../work/capturing.ts';
import { causeOf } from '../work/decide-canceling.ts';
import { cannotRead } from '../work/faults.ts';
import { finishOpening } from '../work/opening.ts';
import { settleRefund } from '../work/settle-refund.ts';
import { settleSetup } from '../work/setup.ts';
import { onSharedTime } from '../work/shared-time.ts';
import { sweep } from '../work/sweep.ts';
import { backoffMs, letGo, takeOverWork, writePayment } from '../work/write-payment.ts';

export interface ReconcileInput {
  /**
   * The maximum number of payments, of setups and of refunds to check in this call: up to 1,000.
   * Default: 100.
   */
  readonly limit?: number | undefined;
}

/** The result of one `reconcile` run. */
export interface ReconcileReport {
  /** The number of due payments, setups and refunds that were checked. */
  readonly looked: number;
  /** Those that could not be settled now. Each is checked again later. */
  readonly unsettled: number;
  /**
   * Payments for a person to review: our id, or the processor's if the payment is not stored here.
   */
  readonly needReview: readonly string[];
  /** Payments that only the processor knew and that were canceled there. */
  readonly orphansCanceled: number;
  /** More are due: call again. */
  readonly more: boolean;
}

/** Settled at once: their commits share flushes, and the processor is not flooded. */
const groupSize = 16;
/**
 * A captured payment leaves about ten rows, so this is well above the number of payments settled.
 */
const forgetLimit = 10_000;
/** How long the ids of commits are kept for reading back. */
const commitRetentionMs = hourMs;
/** A message that is repeated later than this finds its effect already applied. */
const processorEventRetentionMs = 7 * 24 * hourMs;
/** Undelivered events are dropped after this time, so that they do not accumulate for ever. */
const eventRetentionMs = 30 * 24 * hourMs;

/**
 * Finishes interrupted work, expires payments, removes old keys and compares open payments with the
 * processor (D27). The host runs it on a timer, on any number of nodes at once. One call does a
 * bounded amount of work, and its cost depends on open payments, not on history.
 */
export function reconcile(
  ports: Ports,
  input: ReconcileInput = {},
): ResultAsync<ReconcileReport, ProblemOf<CommonProblem>> {
  return perform(ports, 'reconcile', hostCaller, (run) =>
    lookAtDue(withoutDeadline(run.ports), toLimit(input.limit)),
  );
}

async function* lookAtDue(nodePorts: Ports, limit: number) {
  const ports = yield* await onSharedTime(nodePorts);
  const now = ports.clock.now();
  const due = yield* await ports.store.payments.listDue(now, limit);
  const setups = yield* await ports.store.setups.listDue(now, limit);
  const refunds = yield* await ports.store.refunds.listDue(now, limit);
  // From here on no error ends the run, because a payment that needs a review is reported once
  // only.
  const ends = await inGroups(due, (payment) => settleOrPostpone(ports, payment));
  const setupEnds = await inGroups(setups, (setup) => resultOf(settleSetup(ports, setup)));
  const refundEnds = await inGroups(refunds, (refund) => resultOf(settleRefund(ports, refund)));
  valueOrReport(ports, 'reconcile', await forget(ports, now));
  const swept = await sweep(ports);
  const unsettled =
    ends.filter((end) => !end.isSettled).length +
    [...setupEnds, ...refundEnds].filter((end) => end.isErr()).length;
  const inReview = ends.filter((end) => end.review !== undefined).map(({ id }) => id);
  const more = [due, setups, refunds].some((found) => found.length === limit);
  return {
    looked: due.length + setups.length + refunds.length,
    unsettled,
    needReview: [...inReview, ...swept.needReview],
    orphansCanceled: swept.canceled,
    more,
  };
}

function forget(ports: Ports, now: EpochMs) {
  const commitsBefore = now - commitRetentionMs;
  const processorEventsBefore = now - processorEventRetentionMs;
  const eventsBefore = now - eventRetentionMs;
  return commit(ports, [
    {
      kind: 'forget',
      now,
      commitsBefore,
      processorEventsBefore,
      eventsBefore,
      limit: forgetLimit,
    },
  ]);
}

async function inGroups<T, R>(
  items: readonly T[],
  act: (item: T) => PromiseLike<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += groupSize) {
    results.push(...(await Promise.all(items.slice(from, from + groupSize).map(act))));
  }
  return results;
}

/** The result for a due payment. */
interface PaymentEnd {
  readonly id: string;
  readonly isSettled: boolean;
  readonly review: string | undefined;
}

async function settleOrPostpone(ports: Ports, payment: Payment): Promise<PaymentEnd> {
  const { id } = payment;
  try {
    const settled = await resultOf(settlePayment(ports, payment));
    if (settled.isOk()) return { id, isSettled: true, review: settled.value.review };
  } catch (thrown) {
    // A host's record that throws for one payment must not block the others.
    report(ports, { kind: 'failure', name: 'reconcile', outcome: nameOf(thrown) });
  }
  const postponed = (await resultOf(postponePayment(ports, payment))).unwrapOr(undefined);
  return { id, isSettled: false, review: postponed?.review };
}

/** Does the due work of one payment. */
async function* settlePayment(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  const now = ports.clock.now();
  if (isFinal(payment)) {
    // Its keys may still be needed (D21): it was due for a review report, or a clock that was behind wrote it.
    const endedAt = Math.max(payment.updatedAt, payment.capturedAt ?? 0);
    const keysEndAt = endedAt + keyRetentionMs;
    return now < keysEndAt
      ? yield* await lookAgainAtPayment(ports, payment, keysEndAt)
      : yield* forgetPaymentKeys(ports, payment);
  }
  switch (payment.work?.kind) {
    case 'open':
      return yield* await finishOpening(
        ports,
        yield* await takeOverWork(ports, payment, payment.work),
        'unread',
      );
    case 'capture':
      // A payment that is still open at the processor by then will not end without a cancelation.
      if (now >= payment.expiresAt) return yield* await cancel(ports, payment, 'expired');
      return yield* recapture(ports, yield* await takeOverWork(ports, payment, payment.work));
    case 'cancel':
      return yield* await cancel(ports, payment, causeOf(payment.work));
    default:
      return yield* compare(ports, payment);
  }
}

async function* recapture(ports: Ports, payment: PaymentAtWork): Steps<Payment, StepError> {
  const seen = await resultOf(read(ports, payment));
  if (seen.isErr()) {
    yield* await letGo(ports, payment, 'unread');
    return yield* err(seen.error);
  }
  return yield* await finishCapture(ports, payment, seen.value);
}

async function* read(ports: Ports, payment: Payment) {
  const atProcessor = await readAtProcessor(ports, payment);
  const seen = yield* atProcessor.mapErr(cannotRead);
  if (seen === undefined) {
    return yield* err(unavailable('The processor does not show the payment.', 'notApplied'));
  }
  return seen;
}

/** Compares a payment without unfinished work with the processor's ledger and the clock (D17). */
async function* compare(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  if (ports.clock.now() >= payment.expiresAt) return yield* await cancel(ports, payment, 'expired');
  const { appointments, ledgers } = ports.store;
  // A host's own database may return `null`.
  const appointment = (yield* await appointments.get(payment.appointment.id)) ?? undefined;
  const ledger = yield* await ledgers.get(payment.appointment.id);
  if (appointment !== undefined && remainingMinor(appointment, ledger) <= 0n) {
    return yield* await cancel(ports, payment, 'appointmentPaid');
  }
  const seen = yield* read(ports, payment);
  if (isPartial(payment, seen)) {
    return yield* await releasePartial(ports, payment, seen);
  }
  return yield* await writePayment(ports, payment, (stored) => {
    const now = ports.clock.now();
    const followed = followLedger(stored, seen, now, 'reconcile');
    if (isFinal(followed.payment)) return followed;
    const nextCheckAt = nextLook(followed.payment.expiresAt, now);
    const payment = { ...withoutUnsettled(followed.payment), nextCheckAt };
    return { ...followed, payment, reviewedAt: now };
  });
}

function lookAgainAtPayment(ports: Ports, payment: Payment, nextCheckAt: EpochMs) {
  return writePayment(ports, payment, (stored) => ({
    payment: { ...stored, nextCheckAt },
    passed: [],
  }));
}

/** Deletes keys whose retention has ended (D21), and the payment too if it was never opened. */
async function* forgetPaymentKeys(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  const { id, version } = payment;
  const { nextCheckAt: _nextCheckAt, ...done } = payment;
  const last: Change = isOpened(payment)
    ? {
        kind: 'updatePayment',
        // Its secret has no further use (D47).
        payment: { ...done, clientSecret: erasedSecret, version: version + 1 },
        expectedVersion: version,
      }
    : { kind: 'deletePayment', id, expectedVersion: version };
  yield* await commit(ports, [{ kind: 'deleteKeys', resourceId: id }, last]);
  return payment;
}

/**
 * Schedules the next check, with a growing wait. A payment unsettled for too long needs a person.
 */
async function* postponePayment(
  ports: Ports,
  { id }: Payment,
): Steps<Payment | undefined, StoreConflict | StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(id);
  if (payment?.nextCheckAt === undefined || isFinal(payment)) return payment;
  const now = ports.clock.now();
  const isDue = payment.nextCheckAt <= now;
  const isOld = now - payment.updatedAt >= reviewAfterMs && payment.review === undefined;
  if (!isDue && !isOld) return payment;
  return yield* await writePayment(ports, payment, (stored) => {
    const later = isDue
      ? { ...stored, nextCheckAt: now + backoffMs(stored.checks), checks: stored.checks + 1 }
      : stored;
    return isOld
      ? { payment: forReview(later, 'unsettled'), passed: [], reviewedAt: now }
      : { payment: later, passed: [] };
  });
}
