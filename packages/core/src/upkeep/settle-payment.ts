import { chargeAuthorized, finishCharge } from '../charge/carry-charge.ts';
import { ask, backoffMs, handleOf, readAtProcessor, takeOver } from '../engine/carry.ts';
import { cannotRead } from '../engine/faults.ts';
import { commit } from '../frame/commit.ts';
import type { StepError } from '../frame/perform.ts';
import { cancel, causeOf, releasePartial } from '../payment/cancel.ts';
import { finishCapture } from '../payment/capture.ts';
import { isPaid } from '../payment/find.ts';
import { followBooks, forReview, isPartial } from '../payment/follow.ts';
import { finishOpening } from '../payment/opening.ts';
import {
  askAgainEveryMs,
  askedForMs,
  boundedWait,
  confirmed,
  endedByWordAt,
  erasedSecret,
  isDue,
  isFinal,
  isOpened,
  keysKeptUntil,
  nextCheck,
  noted,
  type Payment,
  type PaymentAtWork,
  type ProcessorPayment,
  reviewAfterMs,
  withoutUnsettled,
} from '../payment/payment.ts';
import { owedMinor } from '../payment/tip.ts';
import { holdPayment, letGo, writeBooks, writePayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, CommitError } from '../ports/store.ts';
import { unavailable } from '../problems/problem.ts';
import { err, resultOf, type Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';

/** Does the due work of one payment. */
export async function* settlePayment(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  const now = ports.clock.now();
  if (isFinal(payment)) return yield* settleFinal(ports, payment, now);
  switch (payment.work?.kind) {
    case 'open': {
      const held = yield* await takeOver(ports, payment, payment.work, holdPayment);
      return payment.charge === undefined
        ? yield* await finishOpening(ports, held, 'unread')
        : yield* await finishCharge(ports, held, 'unread');
    }
    case 'capture': {
      // A payment that is still open at the processor by then will not end without a cancelation.
      const isOver = now >= payment.expiresAt;
      const kept = isOver ? yield* await cancel(ports, payment, 'expired') : payment;
      // By the processor's clock it is not over, so the capture is still to be finished.
      if (kept.work?.kind !== 'capture') return kept;
      const held = yield* await takeOver(ports, kept, kept.work, holdPayment);
      return yield* recapture(ports, held);
    }
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
  return payment.charge === undefined
    ? yield* await finishCapture(ports, payment, seen.value)
    : yield* await chargeAuthorized(ports, payment, seen.value);
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
  const isOwed = owedMinor(payment) > 0n;
  if (appointment !== undefined && isOwed && (yield* isPaid(ports, appointment, ledger))) {
    return yield* await cancel(ports, payment, 'appointmentPaid');
  }
  const seen = yield* read(ports, payment);
  if (isPartial(payment, seen)) return yield* await releasePartial(ports, payment, seen);
  return yield* await writeBooks(ports, payment, (stored) => {
    const now = ports.clock.now();
    const followed = followBooks(stored, seen, now, 'reconcile');
    if (isFinal(followed.payment)) return followed;
    const nextCheckAt = nextCheck(followed.payment.expiresAt, now);
    const checked = { ...withoutUnsettled(followed.payment), nextCheckAt };
    return { ...followed, payment: checked, reviewedAt: now };
  });
}

/** Keeps the keys as long as they may be needed, and asks for what only a person's word ended (D201). */
async function* settleFinal(ports: Ports, ended: Payment, now: EpochMs): Steps<Payment, StepError> {
  const payment = isWatched(ended, now) ? yield* watchPayment(ports, ended) : ended;
  const askAt = isWatched(payment, now) ? now + askAgainEveryMs : undefined;
  // It was due for a review report, for a question, or has a newer key.
  const endAt = keysKeptUntil(payment);
  if (now >= endAt) return yield* forgetPaymentKeys(ports, payment, askAt);
  const nextCheckAt = boundedWait(Math.min(endAt, askAt ?? endAt), now);
  return yield* await checkAgain(ports, payment, nextCheckAt);
}

function checkAgain(ports: Ports, payment: Payment, nextCheckAt: EpochMs) {
  return writePayment(ports, payment, (stored) => ({
    payment: { ...stored, nextCheckAt },
    passed: [],
  }));
}

/** Deletes keys whose retention has ended (D21), and the payment too if it was never opened. */
async function* forgetPaymentKeys(
  ports: Ports,
  payment: Payment,
  askAt: EpochMs | undefined,
): Steps<Payment, StepError> {
  const { id, version } = payment;
  const { nextCheckAt: _nextCheckAt, ...rest } = payment;
  const done = askAt === undefined ? rest : { ...rest, nextCheckAt: askAt };
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
export async function* postponePayment(
  ports: Ports,
  { id }: Payment,
): Steps<Payment | undefined, CommitError> {
  const payment = yield* await ports.store.payments.get(id);
  if (payment?.nextCheckAt === undefined || isFinal(payment)) return payment;
  const now = ports.clock.now();
  const isPastDue = isDue(payment.nextCheckAt, now);
  const isOld = now - payment.updatedAt >= reviewAfterMs && payment.review === undefined;
  if (!isPastDue && !isOld) return payment;
  return yield* await writePayment(ports, payment, (stored) => {
    const later = isPastDue
      ? { ...stored, nextCheckAt: now + backoffMs(stored.checks), checks: stored.checks + 1 }
      : stored;
    return isOld
      ? { payment: forReview(later, 'unsettled'), passed: [], reviewedAt: now }
      : { payment: later, passed: [] };
  });
}

/** Whether the processor is asked for what a person's word ended: it may show the opposite (D201). */
function isWatched(payment: Payment, now: EpochMs): boolean {
  const endedAt = endedByWordAt(payment);
  return endedAt !== undefined && isOpened(payment) && now < endedAt + askedForMs;
}

/**
 * Records what the processor shows of a payment that a person's word ended, if it shows an end. What the
 * word canceled, and is open there, is canceled there too, so that no hold stays on the card.
 */
async function* watchPayment(ports: Ports, payment: Payment): Steps<Payment, CommitError> {
  const read = await readAtProcessor(ports, payment);
  // A denial proves nothing.
  const shown = read.unwrapOr(undefined);
  if (shown === undefined) return payment;
  const isOpen = !isEnd(shown);
  if (isOpen && payment.state === 'captured') return payment;
  const seen = isOpen ? await cancelThere(ports, payment) : shown;
  if (seen === undefined || !isEnd(seen)) return payment;
  return yield* await writeBooks(ports, payment, (stored) => {
    const at = ports.clock.now();
    if (seen.status !== stored.state) return followBooks(stored, seen, at, 'reconcile');
    const line = { at, what: confirmed, cause: 'reconcile' };
    return { payment: { ...stored, timeline: noted(stored.timeline, line) }, passed: [] };
  });
}

function isEnd({ status }: ProcessorPayment): boolean {
  return status === 'captured' || status === 'canceled';
}

async function cancelThere(ports: Ports, payment: Payment): Promise<ProcessorPayment | undefined> {
  const canceled = await ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      ...handleOf(ports, payment),
      // The processor repeats a failure for ever under one key, so each day has its own.
      idempotencyKey: `${payment.id}:word:${Math.floor(ports.clock.now() / askAgainEveryMs)}`,
    }),
  );
  return canceled.unwrapOr(undefined);
}
