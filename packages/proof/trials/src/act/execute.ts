import { type CloudEvent, type ErasedCustomer, hourMs, minuteMs } from '@chairside/core';
import { keyRetentionMs } from '@chairside/core/ports';
import { checkErased } from '../check/check-erased.ts';
import { checkReplay } from '../check/check-replay.ts';
import { checkStatements, checkUnchanged, type Statements } from '../check/check-statements.ts';
import { checkEnd, checkHealed, collect } from '../check/checks.ts';
import type { Evidence, Violation } from '../check/evidence.ts';
import type { MadeCall } from '../gate/gate.ts';
import type { Plan } from '../plan/plan.ts';
import { createRandom, hash, type Random } from '../plan/random.ts';
import type { Harness } from '../world.ts';
import { actAll } from './actions.ts';
import { askAgain, askOnceMore } from './ask-again.ts';
import { openRun } from './open-run.ts';
import { anotherInstallation, type Run, upkeepAction } from './run.ts';
import { begin } from './send.ts';
import { erasureOf, shopAccount } from './shop.ts';
import { paymentsOf, stateOf } from './state.ts';
import { beginOutage, endOutage, failPayouts, readStatements } from './statements.ts';
import { note, settle } from './upkeep.ts';

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

/** Times of upkeep while a node is stopped. */
const whileStoppedMs = [1, 10, 30, 180, 600, 1600, 4900].map((minutes) => minutes * minuteMs);

/**
 * Times of upkeep after the faults stopped: until no work is running, and until no payment is open.
 */
const healedAfterMs = [1, 20, 70, 150, 215, 270, 300].map((minutes) => minutes * minuteMs);
/** Times of upkeep after the longest authorization of the processor has ended. */
const endedAfterHoldMs = [1, 2, 4].map((hours) => hours * hourMs);

/** Times of upkeep after the first payouts were made, and before they arrive. */
const paidOutAfterMs = [16, 17].map((hours) => hours * hourMs);

/**
 * Until all keys are forgotten. A refund that pended for days ends at the first time. Its keys are due
 * at the third, and must not be gone by the second.
 */
const forgottenAfterMs = [1, 2, 74].map((hours) => keyRetentionMs + hours * hourMs);

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
    const done = Promise.all([companion?.act(run), actAll(run)]);
    const lastAt = plan.actions.reduce((last, { at }) => Math.max(last, at), 0);
    await scheduler.runUntil(begun + lastAt + afterLastMs);

    run.heal();
    evidence.worldFaults = run.world().heal?.() ?? 0;
    // Keys may be forgotten by then, so nobody asks again with them.
    const isLost = evidence.lost.size > 0;
    if (isLost) {
      await scheduler.runToEnd(done);
      await speakForLost(run);
    }
    await openForeign(run);
    const again = isLost ? undefined : askAgain(run);
    const isStopped = plan.faults.some(({ kind }) => kind === 'stopsAfter');
    if (isStopped) await settle(run, scheduler.clock.now(), whileStoppedMs);
    await scheduler.runToEnd(Promise.all([done, again, companion?.comeBack(run)]));
    // A node whose clock is days ahead or behind delays nothing (D200).
    const healing = scheduler.clock.now();
    evidence.healedAt = healing;
    await settle(run, healing, healedAfterMs);
    if (!isLost) await scheduler.runToEnd(askOnceMore(run));
    evidence.hung.push(...run.begun);
    violations.push(...checkHealed(evidence, await stateOf(run)));
    const { longestHoldMs } = run.world().processor;
    await settle(run, healing + longestHoldMs, endedAfterHoldMs);
    if (!isLost) await scheduler.runToEnd(askOnceMore(run));
    violations.push(...checkEnd(evidence, await stateOf(run)));
    const reported = evidence.faults.length;
    const ended = scheduler.clock.now();
    beginOutage(run);
    await settle(run, healing + longestHoldMs, paidOutAfterMs.slice(0, 1));
    await failPayouts(run);
    await settle(run, healing + longestHoldMs, paidOutAfterMs.slice(1));
    const paidOut = await checkDays(run, violations);
    endOutage(run);
    violations.push(...(await replayAll(run)));
    await settle(run, ended, forgottenAfterMs);
    await checkDays(run, violations, paidOut);
    const erased = await eraseEveryone(run);
    const last = await stateOf(run);
    violations.push(...evidence.faults.slice(reported));
    violations.push(...collect((expect) => checkErased(evidence, last, erased, expect)));
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

/** The host restores its database of some moment, and gets the events again (D212). */
async function replayAll(run: Run): Promise<readonly Violation[]> {
  const chairside = run.ungated();
  const replayed: CloudEvent[] = [];
  let after: string | undefined;
  do {
    const since = new Date(0).toISOString();
    const page = await chairside.events.replay({ since, after, limit: 1000 });
    const { events, next } = page._unsafeUnwrap();
    replayed.push(...events);
    after = next;
  } while (after !== undefined);
  const { delivered } = run.evidence;
  const known = createRandom(hash(run.plan.seed, replayMark)).below(delivered.length + 1);
  return collect((expect) => checkReplay(delivered, replayed, known, expect));
}

const replayMark = 0x2e91;

/** Compares each day's statement with the processor's books, and with the statement before (D50). */
async function checkDays(
  run: Run,
  violations: Violation[],
  before?: Statements,
): Promise<Statements | undefined> {
  const payments = await paymentsOf(run);
  const read = await readStatements(run, payments);
  if (read === undefined) return undefined;
  violations.push(
    ...collect((expect) => {
      checkStatements(run.evidence, payments, read, expect);
      if (before !== undefined) checkUnchanged(before, read, expect);
    }),
  );
  return read;
}

/**
 * Opens two payments of another installation at the same processor account, which the core must ignore. One
 * of them is captured, so that payouts hold money of other software.
 */
async function openForeign({ world, scheduler }: Run): Promise<void> {
  const { processor } = world();
  const open = async (paymentId: string) => {
    // A fault that no action of the plan has met still waits for the next call.
    for (const attempt of [1, 2, 3]) {
      const opened = await processor.openPayment({
        account: shopAccount,
        paymentId,
        installation: anotherInstallation,
        begunAt: scheduler.clock.now(),
        now: scheduler.clock.now(),
        amountMinor: 100n,
        currency: 'eur',
        idempotencyKey: `${paymentId} ${attempt}`,
      });
      if (opened.isOk()) return;
    }
    throw new Error('The processor opened no payment of another installation.');
  };
  await open('cpm_another');
  if (processor.balance === undefined) return;
  await open('cpm_captured');
  const entry = (await processor.entries()).find(({ paymentId }) => paymentId === 'cpm_captured');
  if (entry === undefined) throw new Error('The payment is not in the books.');
  const presented = await processor.presentCard(entry.clientSecret, 'visa_credit');
  if (presented.isErr()) throw new Error('The card was not accepted.');
  const captured = await processor.capturePayment({
    ...entry,
    reference: entry.id,
    begunAt: entry.createdAt,
    amountMinor: 100n,
    currency: 'eur',
    idempotencyKey: 'captured',
  });
  if (captured.isErr()) throw new Error(captured.error.kind);
}

/** Until each open end has been unsettled for so long that a person is asked (D27). */
const lostForMs = [1, 20, 40, 60, 73, 75, 78, 82].map((hours) => hours * hourMs);

const wordsMark = 0x301d;

/** Days pass with the accounts closed. Then a person says what happened, not always the truth (D201). */
async function speakForLost(run: Run): Promise<void> {
  const { scheduler, evidence } = run;
  await settle(run, scheduler.clock.now(), lostForMs);
  const random = createRandom(hash(run.plan.seed, wordsMark));
  await scheduler.runToEnd(begin(run, 'words', () => speak(run, random)));
  evidence.lost.clear();
}

async function speak(run: Run, random: Random): Promise<void> {
  const { chairside } = run.serve(upkeepAction);
  const open = (await chairside.listReviews({ limit: 1000 }))._unsafeUnwrap();
  for (const { id: reviewId, reason, contactlessPaymentId = '' } of open) {
    const of = reason === 'unsettled' ? 'payment' : 'refund';
    if (!/^(?:unsettled|refundUnsettled|refundWaits)$/.test(reason)) continue;
    if (random.chance(0.1)) continue;
    const first = random.pick(['tookPlace', 'didNotTakePlace'] as const);
    // A capture that was never sent cannot have taken place.
    for (const outcome of [first, 'didNotTakePlace'] as const) {
      const word = { reviewId, outcome, note: 'The bank says so.', by: 'marlow' };
      const done = await chairside.resolveReview(word);
      if (done.isErr()) {
        note(run, done.error);
        continue;
      }
      run.evidence.said.set(contactlessPaymentId, { outcome, of });
      if (of === 'payment') await checkEnded(run, contactlessPaymentId);
      break;
    }
  }
}

/** The word has ended the work, and given up the reservation. */
async function checkEnded({ evidence, world }: Run, id: string): Promise<void> {
  const payment = (await world().store.payments.get(id))._unsafeUnwrap();
  if (payment?.reserved !== true && payment?.work === undefined) return;
  evidence.faults.push({ rule: 'ends', what: `${id} is held after a person's word` });
}

/** The host erases every customer, and all appointments (D47). */
async function eraseEveryone(run: Run): Promise<readonly ErasedCustomer[]> {
  run.evidence.erasing.add(upkeepAction);
  const erased: ErasedCustomer[] = [];
  for (let customer = 0; customer < customers; customer += 1) {
    const { chairside, answer } = run.serve(upkeepAction);
    const all = erasureOf(run.plan, customer);
    // Its erasure is that of the customer that it is now.
    if (run.evidence.merged.has(all.customerId)) continue;
    const done = answer(chairside.eraseCustomer(all));
    await run.scheduler.runToEnd(done);
    const result = await done;
    if (result?.isOk()) erased.push(result.value);
    if (result?.isErr()) note(run, result.error);
  }
  return erased;
}

/** As many as any plan has. */
const customers = 5;
