import { minuteMs } from '@chairside/core';
import type { Commit, Tender } from '@chairside/core/ports';
import { cashOf, keptMinor } from '../check/tendered.ts';
import { minor } from '../minor.ts';
import { entryOf, type Gate } from './gate.ts';
import type { CaptureWatch } from './watch-captures.ts';
import { givenMinor, noteReturned } from './watch-refunds.ts';

/** A process may stand still between the reading of its clock and the write. */
const standstillMs = 3 * minuteMs;

/** Follows what was paid without a card and went back, and reports more than was taken (D202). */
export async function watchTenderWrites(
  gate: Gate,
  watch: CaptureWatch,
  { changes }: Commit,
): Promise<void> {
  const { evidence, scheduler } = gate;
  const fault = (what: string) => evidence.faults.push({ rule: 'refunded', what });
  for (const change of changes) {
    if (change.kind !== 'insertTender') continue;
    const { tender: act } = change;
    const { id, tenderId, paymentId, amountMinor } = act;
    const moment = scheduler.nextMoment();
    const { dueMinor = 0n } = watch.compared.get(act.appointmentId) ?? {};
    if (tenderId !== undefined) {
      const leftMinor = keptMinor(evidence, tenderId);
      // A void takes back all of a tender, of which nothing went back.
      if (amountMinor > leftMinor || (act.act === 'void' && amountMinor < leftMinor))
        fault(`${act.act} ${id} of ${amountMinor}: ${leftMinor} of ${tenderId} were left`);
    }
    evidence.tenders.set(id, { act, moment, dueMinor });
    if (paymentId !== undefined) {
      noteReturned(gate, paymentId);
      await checkCash(gate, act, paymentId);
    }
    if (Math.abs(scheduler.clock.now() - act.at) > standstillMs) {
      const what = `${id} stands ${act.at - scheduler.clock.now()} ms from its commit`;
      evidence.faults.push({ rule: 'agree', what });
    }
  }
}

/** Cash stands in for a refund that failed, and all that goes back is at most what was captured. */
async function checkCash(gate: Gate, { id }: Tender, paymentId: string): Promise<void> {
  const { evidence } = gate;
  const capturedMinor = minor((await entryOf(gate, paymentId))?.amountCaptured ?? '0.00');
  const backMinor = givenMinor(gate, paymentId);
  const hasFailed = [...evidence.refunds.values()].some(
    ({ stored, isWithdrawn }) =>
      stored.paymentId === paymentId && (isWithdrawn === true || stored.state === 'failed'),
  );
  if (backMinor <= capturedMinor && hasFailed) return;
  const what = `${id}: ${backMinor} of ${paymentId} went back, ${cashOf(evidence, paymentId)} in cash, of ${capturedMinor}`;
  evidence.faults.push({ rule: 'refunded', what });
}
