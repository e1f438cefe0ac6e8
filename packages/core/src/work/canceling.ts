import { commit } from '../call/commit.ts';
import { followLedger, noted, type ProcessorPayment } from '../domain/follow-ledger.ts';
import {
  type CancelCause,
  isFinal,
  type Payment,
  type PaymentAtWork,
  type Work,
} from '../domain/payment.ts';
import { type Fault, unavailable } from '../domain/problem.ts';
import { err, resultOf, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { ask, handleOf, processorKey, provesDead, readAtProcessor } from './ask.ts';
import { orUnknown } from './faults.ts';
import { giveUp, lease, renewed, takeOverFrom } from './lease.ts';
import { changesOf, letGo, writePayment, writeSeen } from './write-payment.ts';

type Ending<T, F extends Fault = never> = Steps<
  T,
  F | Fault<'serviceUnavailable'> | StoreConflict | StoreUnavailable
>;

/**
 * Cancels a payment that was opened (D17): a durable intent that excludes capture, then the
 * processor, then `canceled`, which is written only once the processor confirms it. Ends in the
 * payment as it then is: `captured` if the processor had captured it already; for the cause
 * `expired`, `authorized` if a card was presented at the last moment. 409 while something else is
 * under way.
 */
export async function* cancel(
  ports: Ports,
  payment: Payment,
  cause: CancelCause,
): Ending<Payment, Fault<'conflict'>> {
  if (isFinal(payment)) return payment;
  const begun = yield* begin(ports, payment, cause);
  // From here on the intent is durable.
  const ended = await resultOf(finishCanceling(ports, begun));
  return yield* ended.mapErr(orUnknown);
}

/** The same, for a payment that this call holds: what it was about to do is given up. */
export async function* cancelHeld(
  ports: Ports,
  payment: PaymentAtWork,
  cause: CancelCause,
): Ending<Payment> {
  const work = toCanceling(renewed(ports, payment.work), cause);
  const begun = yield* intend(ports, payment, work, cause);
  const ended = await resultOf(finishCanceling(ports, begun));
  return yield* ended.mapErr(orUnknown);
}

/** Gives up what was approved only in part: it counts as failed (D13). */
export async function* releasePartial(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
): Ending<Payment, Fault<'conflict'>> {
  const failed = yield* await writeSeen(ports, payment, seen, 'partiallyAuthorized');
  return yield* cancel(ports, failed, 'partiallyAuthorized');
}

/** Why a cancelation was begun. */
export function causeOf({ cause = 'requested' }: Work): CancelCause {
  return cause;
}

async function* begin(
  ports: Ports,
  payment: Payment,
  cause: CancelCause,
): Ending<PaymentAtWork, Fault<'conflict'>> {
  const { work: before } = payment;
  // A capture may have been sent, by one who died: which of the two comes first is for the processor
  // to say, and until it does the reservation stays (D13).
  const work =
    before === undefined
      ? lease(ports, { kind: 'cancel', cause, fence: payment.version + 1 })
      : toCanceling(yield* takeOverFrom(ports, before), cause);
  return yield* intend(ports, payment, work, cause);
}

/** Makes the cancelation durable. */
async function* intend(
  ports: Ports,
  payment: Payment,
  work: Work,
  cause: CancelCause,
): Ending<PaymentAtWork> {
  const begun = yield* await writePayment(ports, payment, (stored) => {
    const at = ports.clock.now();
    const begun: Payment = { ...stored, work, nextCheckAt: work.leaseUntil };
    return { payment: noted(begun, { at, what: 'canceling', cause }), passed: [] };
  });
  return { ...begun, work };
}

/**
 * A cancelation keeps the cause it began with, except `expired`: only an expiry may end in keeping
 * the payment, so any other cause replaces it.
 */
function toCanceling(taken: Work, cause: CancelCause): Work {
  if (taken.kind !== 'cancel') return { ...taken, kind: 'cancel', cause };
  return causeOf(taken) === 'expired' ? { ...taken, cause } : taken;
}

async function* finishCanceling(ports: Ports, payment: PaymentAtWork): Ending<Payment> {
  const cause = causeOf(payment.work);
  const read = await readAtProcessor(ports, payment);
  if (read.isErr()) return yield* unknown(ports, payment, false);
  const seen = read.value;
  if (isOver(seen)) return yield* await writeSeen(ports, payment, seen, cause);
  if (seen?.status === 'authorized' && cause === 'expired' && !isExpired(ports, payment, seen)) {
    return yield* keep(ports, payment, seen);
  }
  const canceled = await ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      ...handleOf(ports, payment),
      idempotencyKey: processorKey(payment, 'cancel'),
    }),
  );
  if (canceled.isOk()) {
    // That the processor has no such payment does not prove that it was never captured (D13).
    if (canceled.value === undefined && payment.reserved)
      return yield* unknown(ports, payment, true);
    return yield* await writeSeen(ports, payment, canceled.value ?? nothing(payment), cause);
  }
  const after = await readAtProcessor(ports, payment);
  if (after.isErr()) return yield* unknown(ports, payment, false);
  if (isOver(after.value)) return yield* await writeSeen(ports, payment, after.value, cause);
  return yield* unknown(ports, payment, provesDead(canceled.error));
}

type Over = ProcessorPayment & { readonly status: 'captured' | 'canceled' };

function isOver(seen: ProcessorPayment | undefined): seen is Over {
  return seen?.status === 'captured' || seen?.status === 'canceled';
}

/** By the authorization's own time limit, whoever was the first to see the authorization. */
function isExpired(ports: Ports, payment: PaymentAtWork, seen: ProcessorPayment): boolean {
  const now = ports.clock.now();
  return now >= followLedger(payment, seen, now, 'expired').payment.expiresAt;
}

/** A card was presented after all: the authorization has a time limit of its own. */
async function* keep(
  ports: Ports,
  payment: PaymentAtWork,
  seen: ProcessorPayment,
): Ending<Payment> {
  const now = ports.clock.now();
  const { work, ...rest } = payment;
  const { cause: _cause, ...free } = giveUp(work, now);
  // A capture that was asked for is to be carried out after all.
  const kept: Payment = payment.reserved ? { ...rest, work: { ...free, kind: 'capture' } } : rest;
  const { after, changes } = changesOf(payment, followLedger(kept, seen, now, 'expired'));
  // Against this very version: what was read of the processor says nothing of a later one.
  yield* await commit(ports, changes);
  return after;
}

/** A payment that the processor does not have can no longer be captured: as good as canceled. */
function nothing(payment: Payment): ProcessorPayment {
  const { account, currency, amountMinor } = payment;
  return { status: 'canceled', account, currency, amountMinor, clientSecret: '' };
}

async function* unknown(ports: Ports, payment: PaymentAtWork, provedDead: boolean): Ending<never> {
  yield* await letGo(ports, payment, 'unknown', provedDead);
  return yield* err(
    unavailable('The payment processor did not say whether it canceled it.', 'unknown'),
  );
}
