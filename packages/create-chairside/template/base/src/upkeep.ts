import type { Chairside, EventHandler } from '@chairside/core';

const everyMs = 3000;

/** Finishes interrupted payments, and passes events to `deliver`. Any number of nodes may run it. */
export async function upkeep(chairside: Chairside, deliver: EventHandler): Promise<void> {
  const report = await chairside.upkeep({ deliver });
  if (report.isErr()) return console.error(`upkeep: ${report.error.detail}`);
  for (const id of report.value.needReview) console.error(`${id} needs a person`);
}

/** Works every few seconds, until the returned function is called. That one waits for the last run. */
export function repeat(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    // One run at a time: a long one leaves no queue behind it.
    running ??= work().finally(() => {
      running = undefined;
    });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
