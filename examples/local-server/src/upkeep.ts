import { type Chairside, secondMs } from '@chairside/core';
import type { EventSender } from '@chairside/fake-processor/event-sender';

/** What must be done again and again beside answering requests. */
export interface Upkeep {
  /** Resolves when the last round is over. */
  stop(): Promise<void>;
}

const everyMs = secondMs;
const reconcileEveryRounds = 3;

/**
 * Sends the processor's events, hands the domain events on and reconciles, one after the other and
 * a bounded amount a round.
 */
export function startUpkeep(chairside: Chairside, sender: EventSender | undefined): Upkeep {
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
    if (sent?.isErr()) console.error(`processor events: ${sent.error.kind}`);
    await deliver();
    if (rounds % reconcileEveryRounds === 0) await reconcile();
  }

  /** A host would tell its own application; the demo has nobody to tell. */
  async function deliver(): Promise<void> {
    const report = await chairside.events.deliver(async () => {});
    if (report.isErr()) console.error(`domain events: ${report.error.detail}`);
  }

  async function reconcile(): Promise<void> {
    const report = await chairside.reconcile();
    report.match(
      ({ needReview }) => {
        for (const id of needReview) console.error(`${id} needs review`);
      },
      ({ detail }) => console.error(`reconcile: ${detail}`),
    );
  }

  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
