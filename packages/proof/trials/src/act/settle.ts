import { begin } from './exchange.ts';
import { type Run, upkeepAction } from './run.ts';
import { deliver, notify, reconcile } from './upkeep.ts';

/** More calls than any run needs, one after the other. */
const maxCalls = 100;

/** Runs everything that hosts run on a timer, at each of these times, until there is no more to do. */
export async function settle(run: Run, from: number, afterMs: readonly number[]): Promise<void> {
  const { scheduler } = run;
  for (const ms of afterMs) {
    await scheduler.runUntil(from + ms);
    const done = begin(run, 'upkeep', async () => {
      let calls = 0;
      while ((await reconcile(run, upkeepAction)) && calls < maxCalls) calls += 1;
      await notify(run, upkeepAction);
      await revive(run);
      while ((await deliver(run, upkeepAction)) && calls < maxCalls) calls += 1;
    });
    await scheduler.runToEnd(done);
  }
}

/** Redelivers events that the host's handler rejected ten times. */
async function revive(run: Run): Promise<void> {
  const { chairside } = run.serve(upkeepAction);
  const dead = await chairside.events.listDeadLetters();
  for (const { subject, version } of dead.unwrapOr([])) {
    const revived = await chairside.events.redeliver({ subject, version });
    if (revived.isErr())
      run.evidence.faults.push({ rule: 'events', what: `a dead letter is ${revived.error.type}` });
  }
}
