import { commit } from '../call/commit.ts';
import { withoutDeadline } from '../call/deadline.ts';
import { toLimit } from '../call/limit.ts';
import { hostTask } from '../call/operation.ts';
import { nameOf } from '../call/perform.ts';
import { report, valueOrReport } from '../call/report.ts';
import type { Payment } from '../domain/payment.ts';
import { resultOf } from '../domain/result.ts';
import { type EpochMs, hourMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import { settleRefund } from '../work/refunding/settle-refund.ts';
import { postponePayment, settlePayment } from '../work/settling/settle-payment.ts';
import { sweep } from '../work/settling/sweep.ts';
import { settleSetup } from '../work/setup/settle-setup.ts';
import { onSharedTime } from '../work/shared-time.ts';

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
  return commit(ports, [
    {
      kind: 'forget',
      now,
      commitsBefore: now - commitRetentionMs,
      processorEventsBefore: now - processorEventRetentionMs,
      eventsBefore: now - eventRetentionMs,
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
