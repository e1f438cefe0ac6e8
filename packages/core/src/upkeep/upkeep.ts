import { chargeAuthorized, finishCharge } from '../charge/carry-charge.ts';
import { type DeliveryReport, type EventHandler, events } from '../event/deliver.ts';
import { commit, contained, report, valueOrReport } from '../frame/commit.ts';
import { bind, hostTask, toLimit } from '../frame/operation.ts';
import { type Run, type StepError, withoutDeadline } from '../frame/perform.ts';
import { cancel, causeOf, hasEnded, releasePartial } from '../payment/cancel.ts';
import { finishCapture } from '../payment/capture.ts';
import { ask, backoffMs, handleOf, readAtProcessor, takeOver } from '../payment/carry.ts';
import { cannotRead } from '../payment/faults.ts';
import { isPaid, readAppointment } from '../payment/find.ts';
import { followBooks, forReview, isPartial, reviewedNow } from '../payment/follow.ts';
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
import type { Change, CommitError, PendingEvent } from '../ports/store.ts';
import { unavailable } from '../problems/problem.ts';
import type { Refund } from '../refund/refund.ts';
import { finishDueRefund } from '../refund/refund-payment.ts';
import { finishDueSetup } from '../setup/carry-setup.ts';
import type { MethodSetup } from '../setup/setup.ts';
import { err, ok, resultOf, type Steps } from '../values/result.ts';
import { type EpochMs, hourMs, secondMs } from '../values/time.ts';
import { sweep } from './sweep.ts';

export interface UpkeepInput {
  /** Receives each event, as for `events.deliver`. Without it no event is delivered. */
  readonly deliver?: EventHandler | undefined;
  /** No further round begins after this time. Default: 20 seconds. */
  readonly forMs?: number | undefined;
}

/** The result of an `upkeep` call, over all its rounds. */
export interface UpkeepReport extends ReconcileReport {
  /** Events that the handler accepted. */
  readonly delivered: number;
  /** Events that the handler rejected: they are delivered again, at most ten times in all. */
  readonly failed: number;
  /** Rounds that were begun; one finishes up to 100 payments and delivers up to 100 events. */
  readonly rounds: number;
}

const usualMs = 20 * secondMs;
/** Bounds the rounds if the clock stands still. */
const maxRounds = 100;

export const upkeepRounds = {
  /**
   * Reconciles and delivers until neither has more to do, or the time is over. For hosts without a
   * process that stays: a scheduler calls it every minute. Calls may overlap.
   *
   * @example
   * const report = await chairside.upkeep({ deliver: async (event) => console.log(event.type) });
   */
  upkeep: hostTask<[input?: UpkeepInput], UpkeepReport>()({
    problems: ['badRequest'],
    task: inRounds,
  }),
};

async function* inRounds({ ports }: Run, { deliver, forMs = usualMs }: UpkeepInput = {}) {
  const bound = bind(ports, { ...reconciliation, ...events });
  const endsAt = ports.clock.now() + forMs;
  let report: UpkeepReport | undefined;
  do {
    // Side by side: a handler that hangs must not keep payments from being finished.
    const [reconciled, told] = await Promise.all([
      bound.reconcile(),
      deliver === undefined ? ok(noDelivery) : bound.events.deliver(deliver),
    ]);
    const [done, sent] = [yield* reconciled, yield* told];
    const round = { ...sent, ...done, more: done.more || sent.more, rounds: 1 };
    report = report === undefined ? round : sum(report, round);
  } while (report.more && report.rounds < maxRounds && ports.clock.now() < endsAt);
  return report;
}

const noDelivery: DeliveryReport = { delivered: 0, failed: 0, more: false };

function sum(before: UpkeepReport, round: UpkeepReport): UpkeepReport {
  return {
    looked: before.looked + round.looked,
    unsettled: before.unsettled + round.unsettled,
    needReview: [...before.needReview, ...round.needReview],
    orphansCanceled: before.orphansCanceled + round.orphansCanceled,
    delivered: before.delivered + round.delivered,
    failed: before.failed + round.failed,
    more: round.more,
    rounds: before.rounds + round.rounds,
  };
}

interface ReconcileInput {
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
  /** How many of them could not be finished now. Each is checked again later. */
  readonly unsettled: number;
  /**
   * Payments for a person to review: our id, or the processor's if the payment is not stored here. And payouts, by
   * the processor's ids.
   */
  readonly needReview: readonly string[];
  /** Payments that only the processor knew and that were canceled there. */
  readonly orphansCanceled: number;
  /** More are due: call again. */
  readonly more: boolean;
}

/** Finished at once: their commits share flushes, and the processor is not flooded. */
const groupSize = 16;
/**
 * A captured payment leaves about ten rows, so this is well above the number of payments finished.
 */
const forgetLimit = 10_000;
/** How long the ids of commits are kept for reading back. */
const commitRetentionMs = hourMs;
/** A message that is repeated later than this finds its effect already applied. */
const processorEventRetentionMs = 7 * 24 * hourMs;
/**
 * Undelivered events are dropped so long after a run has first found one this old, so that they do not accumulate for
 * ever.
 */
const eventRetentionMs = 30 * 24 * hourMs;
/** At most this many are looked at, to tell the observer. */
const mostWaiting = 1000;

export const reconciliation = {
  /**
   * Finishes interrupted work, expires payments, removes old keys and compares open payments with the
   * processor. Run it on a timer, on any number of nodes. Each call does a bounded amount of
   * work, and its cost depends on open payments, not on history.
   *
   * @example
   * const report = await chairside.reconcile();
   * const isMoreDue = report.isOk() && report.value.more;
   */
  reconcile: hostTask<[input?: ReconcileInput], ReconcileReport>()({
    problems: [],
    task: ({ ports }, input = {}) => finishDue(withoutDeadline(ports), toLimit(input.limit)),
  }),
};

async function* finishDue(ports: Ports, limit: number) {
  const now = ports.clock.now();
  const due = yield* await ports.store.payments.listDue(now, limit);
  const setups = yield* await ports.store.setups.listDue(now, limit);
  const refunds = yield* await ports.store.refunds.listDue(now, limit);
  const { isOurs, left } = ofThisWorld(ports, due, setups, refunds);
  // From here on no error ends the run, because a payment that needs a review is reported once
  // only.
  valueOrReport(ports, 'reconcile', left.length > 0 ? await commit(ports, left) : ok());
  const ends = await inGroups(due.filter(isOurs), (payment) => finishOrPostpone(ports, payment));
  const setupEnds = await inGroups(setups.filter(isOurs), (setup) =>
    contained(ports, 'reconcile', finishDueSetup(ports, setup)),
  );
  const refundEnds = await inGroups(refunds.filter(isOurs), (refund) =>
    contained(ports, 'reconcile', finishDueRefund(ports, refund)),
  );
  valueOrReport(ports, 'reconcile', await forget(ports, now));
  const swept = await sweep(ports);
  const unsettled =
    ends.filter((end) => !end.isFinished).length +
    [...setupEnds, ...refundEnds].filter((end) => end.isErr()).length;
  const inReview = ends.filter((end) => end.review !== undefined).map(({ id }) => id);
  const more = swept.more || [due, setups, refunds].some((found) => found.length === limit);
  return {
    looked: due.length + setups.length + refunds.length,
    unsettled,
    needReview: [...inReview, ...swept.needReview],
    orphansCanceled: swept.canceled,
    more,
  };
}

/**
 * Tells what was begun in this world from what a copied database knows of another. The latter is not due any
 * more, by the changes that are left.
 */
function ofThisWorld(
  { home }: Ports,
  payments: readonly Payment[],
  setups: readonly MethodSetup[],
  refunds: readonly Refund[],
) {
  const since = home?.since() ?? 0;
  const isOurs = ({ createdAt }: { readonly createdAt: EpochMs }) => createdAt >= since;
  const notOurs = <T extends { readonly createdAt: EpochMs }>(all: readonly T[]) =>
    all.filter((one) => !isOurs(one));
  const left: readonly Change[] = [
    ...notOurs(payments).map((payment): Change => {
      const { version: expectedVersion } = payment;
      return { kind: 'updatePayment', payment: notDue(payment), expectedVersion };
    }),
    ...notOurs(setups).map((setup): Change => {
      const { version: expectedVersion } = setup;
      return { kind: 'updateSetup', setup: notDue(setup), expectedVersion };
    }),
    ...notOurs(refunds).map((refund): Change => {
      const { version: expectedVersion } = refund;
      return { kind: 'updateRefund', refund: notDue(refund), expectedVersion };
    }),
  ];
  return { isOurs, left };
}

function notDue<T extends { readonly version: number; readonly nextCheckAt?: unknown }>(record: T) {
  const { nextCheckAt: _nextCheckAt, ...rest } = record;
  return { ...rest, version: record.version + 1 };
}

async function forget(ports: Ports, now: EpochMs) {
  const eventsBefore = now - eventRetentionMs;
  const waiting = await ports.store.events.listDue(eventsBefore - 1, mostWaiting);
  const forgotten = await commit(ports, [
    {
      kind: 'forget',
      now,
      commitsBefore: now - commitRetentionMs,
      processorEventsBefore: now - processorEventRetentionMs,
      eventsBefore,
      limit: forgetLimit,
    },
  ]);
  const isDropped = ({ event, attempts }: PendingEvent) =>
    attempts === 0 && event.occurredAt < eventsBefore - eventRetentionMs;
  if (forgotten.isOk() && waiting.unwrapOr([]).some(isDropped)) {
    report(ports, { kind: 'failure', name: 'deliverEvents', outcome: 'neverDelivered' });
  }
  return forgotten;
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
  readonly isFinished: boolean;
  readonly review: string | undefined;
}

async function finishOrPostpone(ports: Ports, payment: Payment): Promise<PaymentEnd> {
  const { id } = payment;
  const finished = await contained(ports, 'reconcile', finishDuePayment(ports, payment));
  if (finished.isOk()) return { id, isFinished: true, review: finished.value.review };
  const postponed = (await resultOf(postponePayment(ports, payment))).unwrapOr(undefined);
  return { id, isFinished: false, review: postponed?.review };
}

/** Does the due work of one payment. */
export async function* finishDuePayment(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  const now = ports.clock.now();
  if (isFinal(payment)) return yield* closeEndedPayment(ports, payment, now);
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

/** Compares a payment without unfinished work with the processor's books and the clock. */
async function* compare(ports: Ports, payment: Payment): Steps<Payment, StepError> {
  if (ports.clock.now() >= payment.expiresAt) return yield* await cancel(ports, payment, 'expired');
  const { id } = payment.appointment;
  // A wrong row was reported. It may not keep the payment from being compared.
  const appointment = (await readAppointment(ports, id)).unwrapOr(undefined);
  const ledger = yield* await ports.store.ledgers.get(id);
  const isOwed = owedMinor(payment) > 0n;
  if (appointment !== undefined && isOwed && (yield* isPaid(ports, appointment, ledger))) {
    return yield* await cancel(ports, payment, 'appointmentPaid');
  }
  const seen = yield* read(ports, payment);
  if (isPartial(payment, seen)) return yield* await releasePartial(ports, payment, seen);
  return yield* await writeBooks(ports, payment, (stored) => {
    const now = ports.clock.now();
    const followed = followBooks(stored, seen, now, 'reconcile', payment.state);
    if (isFinal(followed.payment)) return followed;
    const nextCheckAt = nextCheck(followed.payment.expiresAt, now);
    const checked = { ...withoutUnsettled(followed.payment), nextCheckAt };
    return { ...followed, payment: checked };
  });
}

/**
 * Keeps the keys as long as they may be needed. Where a person said how the payment ended, the processor may say the
 * opposite, so it is asked (D201).
 */
async function* closeEndedPayment(
  ports: Ports,
  ended: Payment,
  now: EpochMs,
): Steps<Payment, StepError> {
  const payment = isWatched(ended, now) ? yield* watchPayment(ports, ended) : ended;
  const askAt = isWatched(payment, now) ? now + askAgainEveryMs : undefined;
  // It was due for a review report, for a question, or has a newer key.
  const endAt = keysKeptUntil(payment);
  if (now >= endAt) return yield* forgetPaymentKeys(ports, payment, askAt);
  const nextCheckAt = boundedWait(Math.min(endAt, askAt ?? endAt), now);
  return yield* await writePayment(ports, payment, (stored) => ({
    payment: { ...stored, nextCheckAt },
    passed: [],
  }));
}

/** Deletes keys whose retention has ended, and the payment too if it was never opened. */
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
        // Its secret has no further use.
        payment: { ...done, clientSecret: erasedSecret, version: version + 1 },
        expectedVersion: version,
      }
    : { kind: 'deletePayment', id, expectedVersion: version };
  yield* await commit(ports, [{ kind: 'deleteKeys', resourceId: id }, last]);
  return payment;
}

/**
 * Schedules the next check, with a growing wait. A payment open for too long needs a person.
 */
export async function* postponePayment(
  ports: Ports,
  { id }: Payment,
): Steps<Payment | undefined, CommitError> {
  const payment = yield* await ports.store.payments.get(id);
  if (payment?.nextCheckAt === undefined) return payment;
  const now = ports.clock.now();
  const isPastDue = isDue(payment.nextCheckAt, now);
  const isOpen = !isFinal(payment) && payment.review === undefined;
  const isOld = isOpen && now - payment.updatedAt >= reviewAfterMs;
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

/** Whether the processor is asked for what a person's word ended: it may show the opposite. */
function isWatched(payment: Payment, now: EpochMs): boolean {
  return isOpened(payment) && now < (endedByWordAt(payment) ?? 0) + askedForMs;
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
  const isOpen = !hasEnded(shown);
  if (isOpen && payment.state === 'captured') return payment;
  const seen = isOpen ? await cancelThere(ports, payment) : shown;
  if (!hasEnded(seen)) return payment;
  return yield* await writeBooks(ports, payment, (stored) => {
    const at = ports.clock.now();
    if (seen.status !== stored.state) return followBooks(stored, seen, at, 'reconcile');
    const line = { at, what: confirmed, cause: 'reconcile' };
    const payment = { ...stored, timeline: noted(stored.timeline, line) };
    const isOther =
      seen.status === 'captured' &&
      ((seen.capturedMinor ?? stored.amountMinor) !== stored.capturedMinor ||
        seen.currency !== stored.currency);
    if (!isOther) return { payment, passed: [] };
    const reviewed = reviewedNow(payment, 'capturedAnotherAmount', at);
    return { payment: reviewed, passed: [], reviewedAt: at };
  });
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
