import {
  type Change,
  type Commit,
  keyRetentionMs,
  maxOpenPayments,
  type Payment,
} from '@chairside/core/ports';
import type { Claim, Evidence } from '../check/evidence.ts';
import { entryOf, type Gate, type Task } from './gate.ts';
import { type CaptureWatch, noteMove, noteRelease } from './watch-captures.ts';
import {
  noteAppointment,
  noteBusiness,
  noteTender,
  noteTerminal,
  noteTerminalRemoval,
  standstillMs,
} from './watch-records.ts';
import {
  checkExcess,
  noteDispute,
  noteRefund,
  updateRefund,
  withdrawRefund,
} from './watch-refunds.ts';
import { deleteSetup, noteSetup, updateSetup } from './watch-setups.ts';

/** Follows the writes of an applied commit, and reports what must not be written. */
export async function watchCommit(
  gate: Gate,
  task: Task,
  watch: CaptureWatch,
  commit: Commit,
): Promise<void> {
  await watchKeys(gate, task.action, commit);
  await checkExcess(gate, task, commit.changes);
  for (const change of commit.changes) await watchChange(gate, task, watch, change, commit);
}

async function watchChange(
  gate: Gate,
  task: Task,
  watch: CaptureWatch,
  change: Change,
  commit: Commit,
): Promise<void> {
  const { evidence, scheduler } = gate;
  const moment = scheduler.nextMoment();
  const at = scheduler.clock.now();
  switch (change.kind) {
    case 'appendEvent':
      evidence.appended.push(change.event);
      return;
    case 'insertReview':
      evidence.reviews.push(change.review);
      return;
    case 'insertMovement':
      evidence.movements.push(change.movement);
      return;
    case 'moveLedger':
      noteOpen(gate, change);
      return noteMove(gate, task, change);
    case 'putAppointment':
      gate.gone.delete(change.appointment.id);
      return noteAppointment(evidence, change.appointment, at, moment);
    case 'putBusiness':
      return noteBusiness(evidence, change.business, at, moment);
    case 'insertPayment': {
      const { payment } = change;
      watch.touched.set(payment.id, moment);
      evidence.begun.set(payment.id, payment);
      evidence.begunIn.set(payment.id, { from: task.since(), moment });
      return;
    }
    case 'updatePayment':
      watch.touched.set(change.payment.id, moment);
      noteState(gate, change.payment, moment);
      return noteRelease(gate, task, change.payment);
    case 'deletePayment':
      return checkWithdrawn(gate, change.id);
    case 'insertSetup':
      return noteSetup(gate, task, change.setup, commit);
    case 'updateSetup':
      return updateSetup(gate, task, change.setup, commit.at);
    case 'deleteSetup':
      return deleteSetup(gate, task, change.id, commit.at);
    case 'insertTerminal':
      return noteTerminal(gate, task, change.terminal);
    case 'deleteTerminal':
      return noteTerminalRemoval(gate, task, change.id);
    case 'insertRefund':
      return noteRefund(gate, task, change.refund);
    case 'updateRefund':
      return updateRefund(gate, change.refund);
    case 'deleteRefund':
      return withdrawRefund(gate, change.id);
    case 'insertDispute':
    case 'updateDispute':
      return noteDispute(gate, change.dispute);
    case 'insertTender':
      return noteTender(gate, task, watch, change.tender);
  }
}

/** At most so many payments of an appointment are open (D42). */
function noteOpen(
  { evidence }: Gate,
  { appointmentId, openPayments }: Extract<Change, { kind: 'moveLedger' }>,
): void {
  const open = (evidence.open.get(appointmentId) ?? 0) + openPayments;
  evidence.open.set(appointmentId, open);
  if (openPayments === 0 || open <= maxOpenPayments) return;
  evidence.faults.push({ rule: 'bound', what: `${open} are open` });
}

function noteState({ evidence }: Gate, payment: Payment, moment: number): void {
  const { id, state, clientSecret, authorizedAt } = payment;
  if (authorizedAt !== undefined) evidence.authorized.add(id);
  if (state === 'captured' && !evidence.recorded.has(id)) evidence.recorded.set(id, moment);
  if (state === 'canceled' && clientSecret === undefined) evidence.closed.add(id);
}

/** A claim is withdrawn only with proof that the processor opened no payment. */
async function checkWithdrawn({ evidence, world }: Gate, id: string): Promise<void> {
  // A closed one goes when its keys do.
  if (evidence.closed.has(id)) return;
  const entries = await world().processor.entries();
  const isOpen = entries.some(({ paymentId, status }) => paymentId === id && status === 'created');
  if (isOpen) evidence.faults.push({ rule: 'truthful', what: `${id} was opened, and withdrawn` });
}

/** Follows which keys were claimed, withdrawn and forgotten, and says what was forgotten too early. */
async function watchKeys(gate: Gate, action: number, { changes }: Commit): Promise<void> {
  const { evidence, scheduler } = gate;
  const moment = scheduler.nextMoment();
  // The processor proved that it opened none of these payments, so their keys are new again (D20).
  const withdrawn = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'deletePayment' && !evidence.closed.has(change.id)) return [change.id];
      if (change.kind === 'deleteRefund') return [change.id];
      const isUnsettled =
        change.kind === 'deleteSetup' && evidence.setups.get(change.id)?.stored.work !== undefined;
      return isUnsettled ? [change.id] : [];
    }),
  );
  for (const change of changes) {
    if (change.kind === 'insertKey') {
      const at = scheduler.clock.now();
      evidence.claims.push({ action, moment, at, record: change.record });
    }
    if (change.kind === 'deleteKeys') {
      for (const claim of evidence.claims) {
        if (claim.record.resourceId !== change.resourceId || claim.gone !== undefined) continue;
        claim.gone = moment;
        claim.isForgotten = !withdrawn.has(change.resourceId);
        if (claim.isForgotten) checkClaim(gate, claim);
      }
      if (!withdrawn.has(change.resourceId)) await checkRetention(gate, change.resourceId);
    }
    if (change.kind === 'forget') {
      for (const claim of evidence.claims) {
        const { forgetAt = Number.POSITIVE_INFINITY } = claim.record;
        if (claim.gone !== undefined || forgetAt > change.now) continue;
        claim.gone = moment;
        claim.isForgotten = true;
      }
    }
  }
}

/** The first response of a key comes after its claim, also if another key captured the payment. */
function checkClaim(
  { evidence, scheduler }: Gate,
  { at, record: { key, resourceId = '' } }: Claim,
): void {
  if (!evidence.begun.has(resourceId)) return;
  const keptMs = scheduler.clock.now() - at;
  checkKept(evidence, key, keptMs, keyRetentionMs - standstillMs);
}

/**
 * The keys of a payment are kept from when the processor shows that it ended (D21, D42). The keys of a
 * refund are kept from when its last state was recorded (D44).
 */
async function checkRetention({ evidence, scheduler, world }: Gate, id: string): Promise<void> {
  const refund = evidence.refunds.get(id);
  if (refund !== undefined) {
    const since = refund.movedAt ?? refund.acceptedAt ?? refund.begunAt;
    const keptMs = scheduler.clock.now() - since;
    checkKept(evidence, id, keptMs, keyRetentionMs - standstillMs);
    return;
  }
  const entry = await entryOf({ world }, id);
  const endedAt = entry?.history.findLast(({ what }) => ends.has(what))?.at;
  // The keys of a closed one count from its closing, which the processor does not know.
  const payment = evidence.closed.has(id) ? undefined : evidence.begun.get(id);
  if (entry === undefined || endedAt === undefined || payment === undefined) return;
  checkKept(evidence, id, scheduler.clock.now() - endedAt, keyRetentionMs);
}

function checkKept({ faults }: Evidence, of: string, keptMs: number, promisedMs: number): void {
  if (keptMs >= promisedMs) return;
  faults.push({ rule: 'retention', what: `the keys of ${of} were kept for ${keptMs} ms` });
}

const ends: ReadonlySet<string> = new Set([
  'captured',
  'canceled',
  'canceledAtTerminal',
  'expired',
]);
