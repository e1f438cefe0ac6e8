import { hourMs, minuteMs, secondMs } from '@chairside/core';
import { isLeftToPerson } from '../check/check-reviews.ts';
import { collect } from '../check/checks.ts';
import type { Evidence, Expect, State, Violation } from '../check/evidence.ts';
import { ledgerNameOf, minor } from '../check/readings.ts';
import type { Action, Plan } from '../plan/plan.ts';
import type { Harness } from '../world.ts';
import { act, actAll } from './actions.ts';
import { askAgain } from './ask-again.ts';
import { openRun } from './open-run.ts';
import { installation, type Run } from './run.ts';
import { appointmentId, firstFacts, putAppointment } from './shop.ts';
import { stateOf } from './state.ts';
import { settle } from './upkeep.ts';

/** Beyond the ids of a plan's actions, and below that of upkeep. */
const firstVisitOfAll = 500_000;

const healedAfterMs = [1, 3, 10, 20, 70, 150, 215, 270, 300].map((minutes) => minutes * minuteMs);
const endedAfterMs = [1, 24, 48, 76].map((hours) => hours * hourMs);

/**
 * A plan whose database is lost at its end and restored from a backup of `backedUpAt`, on
 * the plan's clock (D210). Phones ask again what they asked, and each visit is paid once more, while upkeep reads
 * what the backup lacks.
 */
export async function executeRestored(
  harness: Harness,
  plan: Plan,
  backedUpAt: number,
): Promise<readonly Violation[]> {
  const run = await openRun(harness, plan);
  const { scheduler } = run;
  try {
    const begun = scheduler.clock.now();
    let restore: (() => void) | undefined;
    const done = Promise.all([
      scheduler.after(backedUpAt, () => {
        restore = run.world().backUp?.();
      }),
      actAll(run),
    ]);
    const lastAt = plan.actions.reduce((last, { at }) => Math.max(last, at), backedUpAt);
    await scheduler.runUntil(begun + lastAt + minuteMs);
    await scheduler.runToEnd(done);
    run.heal();
    if (restore === undefined) throw new Error('The world has no backups.');
    run.restore(restore);
    await putAgain(run);
    const lost = scheduler.clock.now();
    const asked = Promise.all([askAgain(run), visitAll(run)]);
    await settle(run, lost, healedAfterMs);
    await scheduler.runToEnd(asked);
    await settle(run, lost + healedAfterMs.reduce((a, b) => Math.max(a, b)), endedAfterMs);
    const state = await stateOf(run);
    return collect((expect) => checkRestored(run.evidence, state, dues(run), expect));
  } finally {
    await run.world().close?.();
  }
}

const factsOf = (run: Run, appointment: number) =>
  run.appointments.get(appointment) ?? firstFacts(appointment);

/** What each appointment owes by the host, which has lost nothing. */
function dues(run: Run): readonly bigint[] {
  return Array.from({ length: run.plan.appointments }, (_, n) => factsOf(run, n).dueMinor);
}

async function putAgain(run: Run): Promise<void> {
  const { records } = run.ungated();
  for (let n = 0; n < run.plan.appointments; n += 1) {
    const put = await putAppointment(records, n, factsOf(run, n));
    if (put.isErr()) throw new Error(put.error.detail);
  }
}

/** At each appointment a barber asks for what is still due, as soon as it is answered. */
async function visitAll(run: Run): Promise<void> {
  await Promise.all(
    dues(run).map(async (_, appointment) => {
      const of = { appointment, payment: `restored-${appointment}` };
      const id = firstVisitOfAll + 10 * appointment;
      const key = of.payment;
      const steps = (n: number): readonly Action[] => [
        { id: id + 1, at: 0, does: 'create', appointment, key },
        { id: id + 2, at: 0, does: 'present', ...of, card: 'visa_credit' },
        { id: id + 3, at: 0, does: 'capture', ...of, key: `${key}-capture-${n}` },
      ];
      for (let n = 0; n < 12; n += 1) {
        for (const step of steps(n)) await act(run, step);
        await run.scheduler.after(10 * secondMs * 2 ** n, () => undefined);
      }
    }),
  );
}

/** After a restore: no visit has paid more than it owes, and the ledgers say what the processor has (D210). */
function checkRestored(
  { begun }: Evidence,
  state: State,
  dues: readonly bigint[],
  expect: Expect,
): void {
  const ours = state.entries.filter((entry) => entry.installation === installation);
  const known = new Set(state.payments.map(({ id }) => id));
  const taken = ours.filter(({ status }) => status === 'captured');
  for (const { id, paymentId, status } of ours) {
    const isOver = ['captured', 'canceled'].includes(status) || isLeftToPerson(state, paymentId);
    expect(isOver, 'orphans', () => `${id} of ${paymentId} is left ${status}`);
  }
  for (const { paymentId } of taken) {
    expect(known.has(paymentId), 'agree', () => `${paymentId} is captured, and not recorded`);
  }
  for (const [appointment, dueMinor] of dues.entries()) {
    const id = appointmentId(appointment);
    const own = taken.filter(({ paymentId }) => ledgerNameOf(begun.get(paymentId)) === id);
    const takenMinor = own.reduce((sum, { paymentId, amountCaptured }) => {
      return sum + minor(amountCaptured) - (begun.get(paymentId)?.tipMinor ?? 0n);
    }, 0n);
    expect(takenMinor <= dueMinor, 'charged', () => `${id} paid ${takenMinor} of ${dueMinor}`);
    const ledger = state.ledgers.find((one) => one.appointmentId === id);
    const { capturedMinor = 0n, reservedMinor = 0n } = ledger ?? {};
    expect(capturedMinor === takenMinor && reservedMinor === 0n, 'agree', () => {
      return `the ledger of ${id} is ${capturedMinor} and ${reservedMinor}, captured: ${takenMinor}`;
    });
  }
}
