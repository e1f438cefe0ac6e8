import { hourMs } from '@chairside/core';
import { createRandom, hash } from '../plan/random.ts';
import { type Run, upkeepAction } from './run.ts';
import { begin, faultOfProblem } from './send.ts';

/** @param disorder 0: all messages, once and in order. */
export async function notify(run: Run, action: number, disorder = 0): Promise<void> {
  const { processor } = run.world();
  const random = createRandom(hash(run.plan.seed, action, disorder));
  const taken = await processor.takeEvents();
  if (taken.isOk()) run.mail.push(...taken.value.map(({ payload }) => payload));
  const sent = run.mail.splice(0);
  if (disorder > 0) {
    for (let i = sent.length; i > 1; i -= 1) {
      const [one] = sent.splice(random.below(i), 1);
      if (one !== undefined) sent.push(one);
    }
    // Some are delayed, and some of those sent now are repeated.
    run.mail.push(...sent.splice(0, random.below(sent.length + 1) >> 1));
    run.mail.push(...sent.filter(() => random.chance(0.25)));
  }
  await Promise.all(
    sent.map(async (payload) => {
      const event = await processor.signEvent(payload);
      const { chairside, answer } = run.serve(action);
      const received = await answer(chairside.receiveProcessorEvent(event));
      if (received?.isErr()) {
        note(run, received.error);
        // Messages of other systems in the account are ignored, never rejected (D51).
        const isRejected = received.error.detail?.includes('malformedEvent') === true;
        if (isRejected) run.evidence.faults.push({ rule: 'events', what: `rejected: ${payload}` });
      }
      if (received?.isOk() && received.value.outcome === 'applied') noteApplied(run, payload);
      if (received === undefined || received.isErr()) run.mail.push(payload);
    }),
  );
}

/** A message takes effect once, however often it comes. */
function noteApplied({ evidence }: Run, payload: string): void {
  if (evidence.applied.has(payload)) {
    evidence.faults.push({ rule: 'events', what: `a message took effect twice: ${payload}` });
  }
  evidence.applied.add(payload);
}

/** @param refuses the handler rejects one event in this many. */
export async function deliver(run: Run, action: number, refuses = 0): Promise<boolean> {
  const { chairside, answer } = run.serve(action);
  let taken = 0;
  const delivered = await answer(
    chairside.events.deliver(async (event) => {
      taken += 1;
      const drawn = hash(run.plan.seed, action, taken);
      if (refuses > 0 && drawn % refuses === 0) throw new Error('the host is busy');
      run.evidence.delivered.push(event);
      // Some hosts take longer over an event than any caller waits.
      if (refuses > 0 && drawn % 16 === 0) {
        await run.scheduler.after(hourMs / 30, () => undefined);
      }
    }),
  );
  if (delivered?.isErr()) note(run, delivered.error);
  return delivered?.isOk() === true && delivered.value.more;
}

export async function reconcile(run: Run, action: number): Promise<boolean> {
  const { chairside, answer } = run.serve(action);
  const report = await answer(chairside.reconcile());
  if (report === undefined) return false;
  if (report.isErr()) {
    note(run, report.error);
    return false;
  }
  run.evidence.reports.push(report.value);
  return report.value.more;
}

/** A failed upkeep must return a valid problem, and runs again. */
export function note({ evidence }: Run, problem: Parameters<typeof faultOfProblem>[0]): void {
  evidence.texts.add(JSON.stringify(problem));
  const fault = faultOfProblem(problem);
  if (fault !== undefined) evidence.faults.push({ rule: 'problems', what: fault });
}

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
