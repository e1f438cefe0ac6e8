import { type Chairside, secondMs } from '@chairside/core';
import type { EventSender } from './event-sender.ts';

/** The regular work beside requests. */
export interface Upkeep {
  /** Resolves when the last round has ended. */
  stop(): Promise<void>;
}

const everyMs = secondMs;
const reconcileEveryRounds = 3;
/** One call processes about a hundred items. The next round continues after this many calls. */
const maxCalls = 10;

/**
 * Sends the processor's events, delivers the domain events and reconciles, one after the other and
 * with a limit for each round.
 */
export function startUpkeep(
  chairside: Chairside,
  sender: EventSender | undefined,
  warn: (line: string) => void = console.error,
): Upkeep {
  let running = Promise.resolve();
  let isStopped = false;
  let rounds = 0;
  let timer = setTimeout(run, everyMs);

  function run(): void {
    running = round().then(() => {
      if (!isStopped) timer = setTimeout(run, everyMs);
    });
  }

  async function round(): Promise<void> {
    rounds += 1;
    const sent = await sender?.send();
    if (sent?.isErr()) warn(`processor events: ${sent.error.kind}`);
    await whileMore(deliver);
    if (rounds % reconcileEveryRounds === 0) await whileMore(reconcile);
  }

  /** Repeats a call as long as it returns that more is due. */
  async function whileMore(work: () => Promise<boolean>): Promise<void> {
    for (let calls = 0; calls < maxCalls && !isStopped; calls += 1) if (!(await work())) return;
  }

  /** A real host would pass the events to its own application; the demo drops them. */
  async function deliver(): Promise<boolean> {
    const report = await chairside.events.deliver(async () => {});
    if (report.isErr()) warn(`domain events: ${report.error.detail}`);
    return report.isOk() && report.value.more;
  }

  const reported = new Set<string>();

  /** Prints each open review once. The list keeps it until a person resolves it. */
  async function reportReviews(): Promise<void> {
    const reviews = (await chairside.listReviews()).unwrapOr([]);
    for (const { id, reason, contactlessPaymentId, processorReference } of reviews) {
      if (reported.has(id)) continue;
      reported.add(id);
      console.error(
        `${contactlessPaymentId ?? processorReference} needs review: ${reason} (${id})`,
      );
    }
  }

  async function reconcile(): Promise<boolean> {
    const report = await chairside.reconcile();
    if (report.isErr()) {
      warn(`reconcile: ${report.error.detail}`);
      return false;
    }
    await reportReviews();
    return report.value.more;
  }

  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
