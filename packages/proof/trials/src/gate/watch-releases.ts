import type { CancelCause } from '@chairside/core';
import type { Change, Commit } from '@chairside/core/ports';
import { during } from '../check/during.ts';
import type { Evidence } from '../check/evidence.ts';
import type { LedgerSnapshot } from '../check/snapshots.ts';
import { broughtMinor } from '../check/tendered.ts';
import type { Gate, Task } from './gate.ts';

/** Follows the ledgers of appointments, and notes why a payment is given up when that is first written. */
export function watchReleases(gate: Gate, task: Task, { changes }: Commit): void {
  const { evidence, scheduler } = gate;
  for (const change of changes) {
    if (change.kind === 'moveLedger') {
      noteLedger(evidence, { ...change, tenderedMinor: 0n }, scheduler.nextMoment());
      if (change.reservedMinor > 0n) checkReserved(gate, task, change.appointmentId);
    }
    if (change.kind === 'insertTender' && change.tender.act !== 'return') {
      const { tender } = change;
      const move = { ...tender, ...noCard, tenderedMinor: broughtMinor(tender) };
      noteLedger(evidence, move, scheduler.nextMoment());
      if (tender.act === 'record') checkReserved(gate, task, tender.appointmentId);
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

const noCard = { reservedMinor: 0n, capturedMinor: 0n };
const empty: LedgerSnapshot = { moment: 0, ...noCard, tenderedMinor: 0n };

type Move = Omit<LedgerSnapshot, 'moment'> & { readonly appointmentId: string };

const committedMinor = (of: Omit<Move, 'appointmentId'>) =>
  of.reservedMinor + of.capturedMinor + of.tenderedMinor;

function noteLedger({ ledgers }: Evidence, change: Move, moment: number): void {
  const snapshots = ledgers.get(change.appointmentId) ?? [empty];
  const before = snapshots.at(-1) ?? empty;
  const after = {
    moment,
    reservedMinor: before.reservedMinor + change.reservedMinor,
    capturedMinor: before.capturedMinor + change.capturedMinor,
    tenderedMinor: before.tenderedMinor + change.tenderedMinor,
  };
  const held = committedMinor(before) > 0n ? before.currency : change.currency;
  const isHeld = committedMinor(after) > 0n && held !== undefined;
  snapshots.push({ ...after, ...(isHeld && { currency: held }) });
  ledgers.set(change.appointmentId, snapshots);
}

/** Captured, reserved and tendered together never exceed what is due, as it was read just before (D13, D202). */
function checkReserved({ evidence, scheduler }: Gate, task: Task, appointment: string): void {
  const ledger = evidence.ledgers.get(appointment)?.at(-1) ?? empty;
  const wholeMinor = committedMinor(ledger);
  const snapshots = evidence.appointments.get(appointment) ?? [];
  const dues = during(snapshots, task.since(), scheduler.nextMoment()).map(
    (snapshot) => snapshot.dueMinor,
  );
  if (dues.some((dueMinor) => wholeMinor <= dueMinor)) return;
  const what = `${wholeMinor} of ${appointment} are captured, reserved and tendered, of ${dues} due`;
  evidence.faults.push({ rule: 'charged', what });
}
