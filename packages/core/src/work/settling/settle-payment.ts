import { commit } from '../../call/commit.ts';
import type { StepError } from '../../call/perform.ts';
import { remainingMinor } from '../../domain/appointment.ts';
import {
  followLedger,
  forReview,
  isPartial,
  withoutUnsettled,
} from '../../domain/follow-ledger.ts';
import {
  erasedSecret,
  isFinal,
  isOpened,
  keysKeptUntil,
  nextCheck,
  type Payment,
  type PaymentAtWork,
  reviewAfterMs,
} from '../../domain/payment.ts';
import { unavailable } from '../../domain/problem.ts';
import { err, resultOf, type Steps } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { CommitError } from '../../ports/store.ts';
import { readAtProcessor } from '../ask.ts';
import { cancel, releasePartial } from '../canceling/canceling.ts';
import { causeOf } from '../canceling/decide-canceling.ts';
import { finishCapture } from '../capturing/capturing.ts';
import { takeOver } from '../carry.ts';
import { chargeAuthorized, finishCharge } from '../charging/charging.ts';
import { cannotRead } from '../faults.ts';
import { backoffMs } from '../lease.ts';
import { finishOpening } from '../opening/opening.ts';
import { holdPayment, letGo, writePayment } from '../payment/write-payment.ts';

/** Does the due work of one payment. */
export async function* settlePayment(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  const now = ports.clock.now();
  if (isFinal(payment)) {
    // Its keys may still be needed: it was due for a review report, or has a newer key.
    const endAt = keysKeptUntil(payment);
    return now < endAt
      ? yield* await checkAgain(ports, payment, endAt)
      : yield* forgetPaymentKeys(ports, payment);
  }
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
  if (appointment !== undefined && remainingMinor(appointment, ledger) <= 0n) {
    return yield* await cancel(ports, payment, 'appointmentPaid');
  }
  const seen = yield* read(ports, payment);
  if (isPartial(payment, seen)) return yield* await releasePartial(ports, payment, seen);
  return yield* await writePayment(ports, payment, (stored) => {
    const now = ports.clock.now();
    const followed = followLedger(stored, seen, now, 'reconcile');
    if (isFinal(followed.payment)) return followed;
    const nextCheckAt = nextCheck(followed.payment.expiresAt, now);
    const checked = { ...withoutUnsettled(followed.payment), nextCheckAt };
    return { ...followed, payment: checked, reviewedAt: now };
  });
}

function checkAgain(ports: Ports, payment: Payment, nextCheckAt: EpochMs) {
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
export async function* postponePayment(
  ports: Ports,
  { id }: Payment,
): Steps<Payment | undefined, CommitError> {
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
