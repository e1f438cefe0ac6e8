import { hourMs, keyRetentionMs, minuteMs } from '@chairside/core';
import { checkEnd, checkHealed } from '../check/checks.ts';
import type { Answer, Evidence, State } from '../check/evidence.ts';
import type { Violation } from '../check/rules.ts';
import type { MadeCall } from '../gate/faults.ts';
import type { Action, Does, Plan } from '../plan/plan.ts';
import type { Harness } from '../world.ts';
import { act, capture, create } from './actions.ts';
import { begin } from './exchange.ts';
import { anotherInstallation, openRun, type Run, upkeepAction } from './run.ts';
import { prepare } from './setup-actions.ts';
import { appointmentId, barberAuth, barbers, customerOf, senderOf, shopAccount } from './shop.ts';
import { deliver, notify, reconcile } from './upkeep.ts';

/** The result of a run. */
export interface Outcome {
  /** The broken promises; empty for a correct implementation. */
  readonly violations: readonly Violation[];
  readonly evidence: Evidence;
  /** The port calls that a fault could have hit. */
  readonly made: readonly MadeCall[];
  readonly faultsMet: number;
  readonly turns: number;
}

/** A client that the caller brings into the world, beside the clients of the plan. */
export interface Companion {
  /** Begins with the plan's actions, and ends once faults have stopped. */
  act(run: Run): Promise<void>;
  /** Called when faults have stopped. */
  comeBack(run: Run): Promise<void>;
}

/** Long enough for the last action to begin. */
const afterLastMs = 30_000;

/**
 * Times of upkeep after the faults stopped: until no work is running, and until no payment is open.
 */
const healedAfterMs = [1, 20, 70, 150, 215, 270, 300].map((minutes) => minutes * minuteMs);
/** Times of upkeep after the longest authorization of the processor has ended. */
const endedAfterHoldMs = [1, 2, 4].map((hours) => hours * hourMs);

/**
 * Executes a plan. First all its actions run, with their faults. Then the faults stop, clients
 * repeat their requests, and upkeep runs. Finally the records are checked against the promises.
 */
export async function execute(
  harness: Harness,
  plan: Plan,
  companion?: Companion,
): Promise<Outcome> {
  const run = await openRun(harness, plan);
  const { scheduler, evidence, faults } = run;
  const violations: Violation[] = [];
  try {
    const begun = scheduler.clock.now();
    const done = Promise.all([
      companion?.act(run),
      ...plan.actions.map((action) =>
        begin(run, action.does, async () => {
          await scheduler.after(action.at, () => undefined);
          await act(run, action);
        }),
      ),
    ]);
    const lastAt = plan.actions.reduce((last, { at }) => Math.max(last, at), 0);
    await scheduler.runUntil(begun + lastAt + afterLastMs);

    run.heal();
    evidence.worldFaults = run.world().heal?.() ?? 0;
    await openForeign(run);
    await scheduler.runToEnd(Promise.all([done, askAgain(run), companion?.comeBack(run)]));
    const stopped = scheduler.clock.now();
    // Records of a clock that was ahead become due only when the other clocks have caught up.
    const healing = stopped + Math.max(0, plan.skewMs ?? 0);
    await upkeep(run, healing, healedAfterMs);
    await scheduler.runToEnd(askOnceMore(run));
    evidence.hung.push(...run.begun);
    violations.push(...checkHealed(evidence, await stateOf(run)));
    const { longestHoldMs } = run.world().processor;
    await upkeep(run, healing + longestHoldMs, endedAfterHoldMs);
    await scheduler.runToEnd(askOnceMore(run));
    violations.push(...checkEnd(evidence, await stateOf(run)));
  } finally {
    await run.world().close?.();
  }
  return {
    violations,
    evidence,
    made: faults.made,
    faultsMet: faults.met(),
    turns: scheduler.turns(),
  };
}

/**
 * Opens another installation's payment at the same processor account, which the core must ignore.
 */
async function openForeign({ world, scheduler }: Run): Promise<void> {
  const opened = await world().processor.openPayment({
    account: shopAccount,
    paymentId: 'cpm_another',
    installation: anotherInstallation,
    begunAt: scheduler.clock.now(),
    amountMinor: 100n,
    currency: 'eur',
    idempotencyKey: 'another',
  });
  if (opened.isErr()) throw new Error(opened.error.kind);
}

/** Requests with a key, which may be repeated. */
type Keyed = Does<'create' | 'capture'> | (Does<'prepare'> & { readonly key: string });

function isKeyed(action: Action): action is Keyed {
  if (action.does === 'prepare') return action.key !== undefined;
  return action.does === 'create' || action.does === 'capture';
}

/** Each request once: repetitions of it are identical. */
function requestsOf({ actions }: Plan): readonly Keyed[] {
  const requests = new Map<string, Keyed>();
  for (const action of actions) {
    if (!isKeyed(action)) continue;
    const { id: _id, at: _at, taps: _taps, ...request } = action;
    const text = JSON.stringify(request);
    if (!requests.has(text)) requests.set(text, action);
  }
  return [...requests.values()];
}

function send(run: Run, action: Keyed, isLast = false): Promise<Answer | undefined> {
  const manner = { isLimited: false, isLast };
  switch (action.does) {
    case 'create':
      return create(run, action, manner);
    case 'capture':
      return capture(run, action, manner);
    case 'prepare':
      return prepare(run, action, manner);
  }
}

function subjectOf(action: Keyed): string {
  return action.does === 'prepare'
    ? customerOf(action.customer, 'self').subject
    : barberAuth(senderOf(action.appointment, 'self', 0), true, 0).subject;
}

/** The waits of a patient client, together longer than a lease. */
const waitsMs = [1, 2, 4, 8, 16, 32, 64].map((seconds) => seconds * 1000);

/** Clients repeat their requests until a response forbids it. */
async function askAgain(run: Run): Promise<void> {
  await Promise.all(
    requestsOf(run.plan).map((action) =>
      begin(run, `${action.does} again`, async () => {
        for (const waitMs of waitsMs) {
          const answer = await send(run, action);
          if (answer !== undefined && answer.retry !== 'retrySameRequestAfterDelay') return;
          await run.scheduler.after(waitMs, () => undefined);
        }
      }),
    ),
  );
}

/** A little less than the retention of keys after the final response (D21). */
const keptMs = keyRetentionMs - 2 * hourMs;

/** A payment, or a setup. */
interface Told {
  readonly id?: string;
  readonly paymentMethodSetupId?: string;
}

/** Repeated requests get the same response for as long as keys are kept. */
async function askOnceMore(run: Run): Promise<void> {
  const { evidence, scheduler, world } = run;
  const since = scheduler.clock.now() - keptMs;
  const changedAt = new Map(
    world()
      .processor.entries()
      .map(({ paymentId, history }) => [paymentId, history.at(-1)?.at ?? 0]),
  );
  const kept = new Map<string, boolean>();
  for (const { answer, subject, key, at } of evidence.exchanges) {
    if (answer === undefined || answer.status >= 300 || kept.has(`${subject} ${key}`)) continue;
    const told: Told = JSON.parse(answer.text || '{}');
    const setup = evidence.setups.get(told.paymentMethodSetupId ?? '');
    const lastAt = changedAt.get(told.id ?? '') ?? setup?.stored.createdAt ?? at;
    kept.set(`${subject} ${key}`, lastAt > since);
  }
  for (const action of requestsOf(run.plan)) {
    const isSound = action.as === undefined && !('broken' in action);
    if (isSound && kept.get(`${subjectOf(action)} ${action.key}`) === true) {
      await send(run, action, true);
    }
  }
}

/** More calls than any run needs, one after the other. */
const maxCalls = 100;

async function upkeep(run: Run, from: number, afterMs: readonly number[]): Promise<void> {
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

async function stateOf(run: Run): Promise<State> {
  const { store, processor } = run.world();
  const ids = Array.from({ length: run.plan.appointments }, (_, index) => appointmentId(index));
  const payments = await Promise.all(ids.map((id) => store.payments.listByAppointment(id, 1000)));
  const ledgers = await Promise.all(ids.map((id) => store.ledgers.get(id)));
  const setupIds = [...run.evidence.setups.keys()];
  const setups = await Promise.all(setupIds.map((id) => store.setups.get(id)));
  const terminals = await Promise.all(barbers.map((id) => store.terminals.listByBarber(id, 1000)));
  return {
    at: run.scheduler.clock.now(),
    payments: payments.flatMap((listed) => listed._unsafeUnwrap()),
    ledgers: ledgers.map((ledger) => ledger._unsafeUnwrap()),
    entries: processor.entries(),
    setups: setups.flatMap((setup) => setup._unsafeUnwrap() ?? []),
    setupEntries: processor.setups(),
    terminals: terminals.flatMap((listed) => listed._unsafeUnwrap()),
  };
}
