import { type Chairside, secondMs } from '@chairside/core';
import type { EventSender } from '@chairside/fake-processor/event-sender';

/** What must be done again and again beside answering requests. */
export interface Upkeep {
  /** Resolves when the last round is over. */
  stop(): Promise<void>;
}

const everyMs = secondMs;
const reconcileEveryRounds = 3;
/** One call does about a hundred things. What is still left after so many is the next round's. */
const maxCalls = 10;

/**
 * Sends the processor's events, hands the domain events on and reconciles, one after the other and
 * a bounded amount a round.
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

  /** Calls what answers whether more is due, as long as it does. */
  async function whileMore(work: () => Promise<boolean>): Promise<void> {
    for (let calls = 0; calls < maxCalls && !isStopped; calls += 1) if (!(await work())) return;
  }

  /** A host would tell its own application; the demo has nobody to tell. */
  async function deliver(): Promise<boolean> {
    const report = await chairside.events.deliver(async () => {});
    if (report.isErr()) warn(`domain events: ${report.error.detail}`);
    return report.isOk() && report.value.more;
  }

  const reported = new Set<string>();

  /** Names each open review once; the list keeps it until a person resolves it. */
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
