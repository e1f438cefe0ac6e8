import { installation } from '../act/run.ts';
import { appointmentId } from '../act/shop.ts';
import { minor } from '../minor.ts';
import { isLeftToPerson } from './check-reviews.ts';
import type { Evidence } from './evidence.ts';
import { ledgerNameOf } from './ledger-name.ts';
import type { Expect } from './rules.ts';
import type { State } from './state.ts';

/** After a restore: no visit has paid more than it owes, and the ledgers say what the processor has (D210). */
export function checkRestored(
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
