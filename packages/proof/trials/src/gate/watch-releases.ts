import type { CancelCause } from '@chairside/core';
import type { Change, Commit } from '@chairside/core/ports';
import { during } from '../check/during.ts';
import type { Evidence } from '../check/evidence.ts';
import type { LedgerSnapshot } from '../check/snapshots.ts';
import type { Gate, Task } from './gate.ts';

/** Follows the ledgers of appointments, and notes why a payment is given up when that is first written. */
export function watchReleases(gate: Gate, task: Task, { changes }: Commit): void {
  const { evidence, scheduler } = gate;
  for (const change of changes) {
    if (change.kind === 'moveLedger') {
      noteLedger(evidence, change, scheduler.nextMoment());
      if (change.reservedMinor > 0n) checkReserved(gate, task, change.appointmentId);
    }
    if (change.kind !== 'updatePayment') continue;
    const { payment } = change;
    const cause = causeOf(payment);
    if (cause !== undefined && cause !== evidence.releasing.get(payment.id)) {
      const moment = scheduler.nextMoment();
      evidence.releases.push({ payment, cause, from: task.since(), moment });
    }
    if (cause === undefined) evidence.releasing.delete(payment.id);
    else evidence.releasing.set(payment.id, cause);
  }
}

type Written = Extract<Change, { kind: 'updatePayment' }>['payment'];

function causeOf({ work }: Written): CancelCause | undefined {
  return work?.kind === 'cancel' ? work.cause : undefined;
}

const empty: LedgerSnapshot = { moment: 0, reservedMinor: 0n, capturedMinor: 0n };

function noteLedger(
  { ledgers }: Evidence,
  change: Extract<Change, { kind: 'moveLedger' }>,
  moment: number,
): void {
  const snapshots = ledgers.get(change.appointmentId) ?? [empty];
  const { reservedMinor: reserved, capturedMinor: captured, currency } = snapshots.at(-1) ?? empty;
  const reservedMinor = reserved + change.reservedMinor;
  const capturedMinor = captured + change.capturedMinor;
  const wasHeld = reserved + captured > 0n;
  const isHeld = reservedMinor + capturedMinor > 0n;
  const held = wasHeld ? currency : change.currency;
  snapshots.push({
    moment,
    reservedMinor,
    capturedMinor,
    ...(isHeld && held !== undefined && { currency: held }),
  });
  ledgers.set(change.appointmentId, snapshots);
}

/** Captured and reserved together never exceed what is due, as it was read just before (D13). */
function checkReserved({ evidence, scheduler }: Gate, task: Task, appointment: string): void {
  const ledger = evidence.ledgers.get(appointment)?.at(-1) ?? empty;
  const committedMinor = ledger.capturedMinor + ledger.reservedMinor;
  const snapshots = evidence.appointments.get(appointment) ?? [];
  const dues = during(snapshots, task.since(), scheduler.nextMoment()).map(
    (snapshot) => snapshot.dueMinor,
  );
  if (dues.some((dueMinor) => committedMinor <= dueMinor)) return;
  const what = `${committedMinor} of ${appointment} are captured and reserved, of ${dues} due`;
  evidence.faults.push({ rule: 'charged', what });
}
