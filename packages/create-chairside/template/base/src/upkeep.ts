import type { Chairside, EventHandler } from '@chairside/core';

const everyMs = 3000;
/** Below the minute after which Chairside may deliver an event again. */
const longestMs = 30_000;

/** Finishes interrupted payments, and passes events to `deliver`. Any number of nodes may run it. */
export async function upkeep(chairside: Chairside, deliver: EventHandler): Promise<void> {
  const report = await chairside.upkeep({ deliver: (event) => inTime(deliver(event)) });
  if (report.isErr()) return console.error(`upkeep: ${report.error.detail}`);
  for (const id of report.value.needReview) console.error(`${id} needs a person`);
}

/** An event whose handler hangs comes again later. Until then it must not hold up all payments. */
async function inTime(handled: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the handler hangs')), longestMs);
  });
  await Promise.race([handled, late]).finally(() => clearTimeout(timer));
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
