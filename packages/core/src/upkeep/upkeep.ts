import { onSharedTime } from '../engine/carry.ts';
import { type DeliveryReport, type EventHandler, events } from '../event/deliver.ts';
import { commit, reportThrown, valueOrReport } from '../frame/commit.ts';
import { bind, hostTask, toLimit } from '../frame/operation.ts';
import { type Run, withoutDeadline } from '../frame/perform.ts';
import type { Payment } from '../payment/payment.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change } from '../ports/store.ts';
import type { Refund } from '../refund/refund.ts';
import { settleRefund } from '../refund/refund-payment.ts';
import type { MethodSetup } from '../setup/method-setup.ts';
import { settleSetup } from '../setup/setup.ts';
import { ok, resultOf } from '../values/result.ts';
import { dayMs, type EpochMs, hourMs, secondMs } from '../values/time.ts';
import { postponePayment, settlePayment } from './settle-payment.ts';
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
  /** Rounds that were begun; one settles up to 100 payments and delivers up to 100 events. */
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
    // Side by side: a handler that hangs must not keep payments from being settled.
    const [reconciled, told] = await Promise.all([
      bound.reconcile(),
      deliver === undefined ? ok(noDelivery) : bound.events.deliver(deliver),
    ]);
    const round = roundOf(yield* reconciled, yield* told);
    report = report === undefined ? round : sum(report, round);
  } while (report.more && report.rounds < maxRounds && ports.clock.now() < endsAt);
  return report;
}

const noDelivery: DeliveryReport = { delivered: 0, failed: 0, more: false };

function roundOf(settled: ReconcileReport, told: DeliveryReport): UpkeepReport {
  return { ...told, ...settled, more: settled.more || told.more, rounds: 1 };
}

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
  /** How many of them could not be settled now. Each is checked again later. */
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

export const reconciliation = {
  /**
   * Finishes interrupted work, expires payments, removes old keys and compares open payments with the
   * processor (D27). Run it on a timer, on any number of nodes. Each call does a bounded amount of
   * work, and its cost depends on open payments, not on history.
   *
   * @example
   * const report = await chairside.reconcile();
   * const isMoreDue = report.isOk() && report.value.more;
   */
  reconcile: hostTask<[input?: ReconcileInput], ReconcileReport>()({
    problems: [],
    task: ({ ports }, input = {}) => settleDue(withoutDeadline(ports), toLimit(input.limit)),
  }),
};

async function* settleDue(nodePorts: Ports, limit: number) {
  const ports = yield* await onSharedTime(nodePorts);
  const now = ports.clock.now();
  const due = yield* await ports.store.payments.listDue(now, limit);
  const setups = yield* await ports.store.setups.listDue(now, limit);
  const refunds = yield* await ports.store.refunds.listDue(now, limit);
  const { isOurs, left } = ofThisWorld(ports, due, setups, refunds);
  // From here on no error ends the run, because a payment that needs a review is reported once
  // only.
  valueOrReport(ports, 'reconcile', left.length > 0 ? await commit(ports, left) : ok());
  const ends = await inGroups(due.filter(isOurs), (payment) => settleOrPostpone(ports, payment));
  const setupEnds = await inGroups(setups.filter(isOurs), (setup) =>
    resultOf(settleSetup(ports, setup)),
  );
  const refundEnds = await inGroups(refunds.filter(isOurs), (refund) =>
    resultOf(settleRefund(ports, refund)),
  );
  valueOrReport(ports, 'reconcile', await forget(ports, now));
  const swept = await sweep(ports);
  const unsettled =
    ends.filter((end) => !end.isSettled).length +
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
 * more, by the changes that are left (D210).
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

function forget(ports: Ports, now: EpochMs) {
  return commit(ports, [
    {
      kind: 'forget',
      now,
      commitsBefore: now - commitRetentionMs,
      processorEventsBefore: now - processorEventRetentionMs,
      eventsBefore: now - eventRetentionMs,
      keptBefore: now - ports.keepDeliveredDays * dayMs,
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
    reportThrown(ports, 'reconcile', thrown);
  }
  const postponed = (await resultOf(postponePayment(ports, payment))).unwrapOr(undefined);
  return { id, isSettled: false, review: postponed?.review };
}
