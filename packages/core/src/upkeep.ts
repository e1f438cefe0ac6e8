import { bind, hostTask } from './call/operation.ts';
import type { Run } from './call/perform.ts';
import { ok } from './domain/result.ts';
import { secondMs } from './domain/time.ts';
import { type DeliveryReport, type EventHandler, events } from './operations/events.ts';
import { type ReconcileReport, reconciliation } from './operations/reconcile.ts';

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
