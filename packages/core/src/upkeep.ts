import { type CommonProblem, performForHost } from './call/perform.ts';
import type { ProblemOf } from './domain/problem.ts';
import { ok, type ResultAsync } from './domain/result.ts';
import { secondMs } from './domain/time.ts';
import {
  type DeliveryReport,
  deliverEvents,
  type EventHandler,
} from './operations/deliverEvents.ts';
import { type ReconcileReport, reconcile } from './operations/reconcile.ts';
import type { Ports } from './ports/ports.ts';

export interface UpkeepInput {
  /** Receives each event, as for `events.deliver`. Without it no event is delivered. */
  readonly deliver?: EventHandler | undefined;
  /** No further round begins after this time. Default: 20 seconds. */
  readonly forMs?: number | undefined;
}

/** The result of an `upkeep` call, over all its rounds. */
export interface UpkeepReport extends ReconcileReport {
  readonly delivered: number;
  readonly failed: number;
  /** Rounds that were begun; one settles up to 100 payments and delivers up to 100 events. */
  readonly rounds: number;
}

const usualMs = 20 * secondMs;
/** Bounds the rounds if the clock stands still. */
const maxRounds = 100;

/**
 * Reconciles and delivers until neither has more to do, or the time is over. For hosts without a
 * process that stays: a scheduler calls it every minute. Calls may overlap.
 */
function upkeep(
  ports: Ports,
  input: UpkeepInput = {},
): ResultAsync<UpkeepReport, ProblemOf<'badRequest' | CommonProblem>> {
  return performForHost(ports, 'upkeep', () => inRounds(ports, input), input);
}

async function* inRounds(ports: Ports, { deliver, forMs = usualMs }: UpkeepInput) {
  const endsAt = ports.clock.now() + forMs;
  let report: UpkeepReport = nothingDone;
  do {
    // Side by side: a handler that hangs must not keep payments from being settled.
    const [reconciled, told] = await Promise.all([
      reconcile(ports),
      deliver === undefined ? ok(noDelivery) : deliverEvents(ports, deliver),
    ]);
    report = sum(report, yield* reconciled, yield* told);
  } while (report.more && report.rounds < maxRounds && ports.clock.now() < endsAt);
  return report;
}

const noDelivery: DeliveryReport = { delivered: 0, failed: 0, more: false };

const nothingDone: UpkeepReport = {
  looked: 0,
  unsettled: 0,
  needReview: [],
  orphansCanceled: 0,
  delivered: 0,
  failed: 0,
  more: false,
  rounds: 0,
};

function sum(before: UpkeepReport, settled: ReconcileReport, told: DeliveryReport): UpkeepReport {
  return {
    looked: before.looked + settled.looked,
    unsettled: before.unsettled + settled.unsettled,
    needReview: [...before.needReview, ...settled.needReview],
    orphansCanceled: before.orphansCanceled + settled.orphansCanceled,
    delivered: before.delivered + told.delivered,
    failed: before.failed + told.failed,
    more: settled.more || told.more,
    rounds: before.rounds + 1,
  };
}

export const upkeepRounds = {
  /**
   * Reconciles and delivers until neither has more to do, or the time is over. For hosts that a
   * scheduler wakes.
   *
   * @example
   * const report = await chairside.upkeep({ deliver: async (event) => console.log(event.type) });
   */
  upkeep,
};
