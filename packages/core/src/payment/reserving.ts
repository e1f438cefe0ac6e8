import { actorOf, commit, isConflict } from '../frame/commit.ts';
import { type Appointment, paidOf } from '../host/host.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import type { Fault } from '../problems/problem.ts';
import { owedByVisit } from '../share/share.ts';
import { sharesOf } from '../share/shares-of.ts';
import { err, ok, type Result } from '../values/result.ts';
import { cancel } from './cancel.ts';
import { lease, takeOverFrom, type Written } from './carry.ts';
import { type Dues, dueOf, type OtherDues, type Undue } from './dues.ts';
import { reservedElsewhere } from './faults.ts';
import { readCapturedTips, readDues, readOtherDues, releaseUndue } from './find.ts';
import type { BooksStep } from './follow.ts';
import {
  noted,
  type Payment,
  type PaymentAtWork,
  type PaymentDraft,
  type TimelineEntry,
  type Work,
} from './payment.ts';
import { owedMinor, tipBoundOf } from './tip.ts';
import { type Bounds, boundsOf, changesOf, writePayment } from './write.ts';

type Reserved<T = PaymentAtWork> = Written<T, Fault<'conflict'>>;

/**
 * Reserves the payment's amount in its appointment's ledger and begins the capture. One commit does
 * both, with the claim of the key, before a capture request is sent. A payment that
 * already has a reservation is joined, because the reservation belongs to the payment, not to a
 * key.
 * @param followed the payment after the processor's entry.
 * @param found its appointment, as it was before that entry was read. Its amount due only bounds
 * the reservation: the comparison before the request decides.
 */
export async function reserve(
  ports: Ports,
  payment: Payment,
  followed: BooksStep,
  found: Result<Appointment | undefined, StoreUnavailable>,
  claim: readonly Change[],
): Reserved {
  if (payment.work !== undefined) return join(ports, payment, payment.work, claim);
  if (found.isErr()) return err(found.error);
  const appointment = found.value;
  if (appointment === undefined) return release(ports, payment, 'appointmentGone');
  const work = lease(ports, { kind: 'capture', fence: followed.payment.version + 1 });
  const by = await actorOf(ports);
  if (by.isErr()) return err(by.error);
  const begun = beginCapture(followed.payment, work, { at: ports.clock.now(), ...by.value });
  begun.reserved = true;
  // One version more than the entry alone would give.
  begun.version += 1;
  const reserved = { ...followed, payment: begun };
  const dues = new Map([[appointment.id, appointment.amountDueMinor]]);
  const others = await readOtherDues(ports, payment);
  if (others.isErr()) return err(others.error);
  for (const { appointmentId, appointment: other } of others.value) {
    if (other === undefined) return release(ports, payment, 'appointmentGone', appointmentId);
    dues.set(appointmentId, other.amountDueMinor);
  }
  const bounds = owedMinor(payment) > 0n ? ok(boundsOf(dues)) : await tipBounds(ports, payment);
  if (bounds.isErr()) return err(bounds.error);
  const { after, changes } = changesOf(ports, payment, reserved, bounds.value);
  const written = await commit(ports, [...changes, ...claim]);
  if (written.isOk()) return ok({ ...after, work });
  return isConflict(written.error, 'moveLedger')
    ? cancelOrRefuse(ports, payment)
    : err(written.error);
}

/** A tip alone is bounded by what the visit has paid. */
async function tipBounds(
  ports: Ports,
  { appointment: { id } }: Payment,
): Promise<Result<Bounds, StoreUnavailable>> {
  const ledger = await ports.store.ledgers.get(id);
  return ledger.map((read) => new Map([[id, tipBoundOf(ports.tips, read)]]));
}

/** When, and by whom. */
type Line = Omit<TimelineEntry, 'what' | 'cause'>;

function beginCapture(payment: Payment, work: Work, line: Line): PaymentDraft {
  const timeline = noted(payment.timeline, { ...line, what: 'capturing', cause: 'capture' });
  return { ...payment, work, nextCheckAt: work.leaseUntil, timeline };
}

async function join(
  ports: Ports,
  payment: Payment,
  before: Work,
  claim: readonly Change[],
): Reserved {
  const taken = takeOverFrom(ports, before);
  if (taken.isErr()) return err(taken.error);
  const work = taken.value;
  const by = await actorOf(ports);
  if (by.isErr()) return err(by.error);
  const become = (stored: Payment) => ({
    payment: beginCapture(stored, work, { at: ports.clock.now(), ...by.value }),
    passed: [],
  });
  const joined = await writePayment(ports, payment, become, claim);
  return joined.map((held) => ({ ...held, work }));
}

/** Returns why the amount does not fit, and releases a payment that never will. */
async function cancelOrRefuse(ports: Ports, payment: Payment): Reserved<never> {
  // Read anew, because the amount due may have been raised since.
  const dues = await readDues(ports, payment);
  if (dues.isErr()) return err(dues.error);
  const { ledger, others } = dues.value;
  const visits: readonly (Dues & Partial<OtherDues>)[] = [dues.value, ...others];
  const { maxTipsMinor } = tipBoundOf(ports.tips, ledger);
  const { tipMinor = 0n } = payment;
  if (owedMinor(payment) === 0n) {
    const tips = await readCapturedTips(ports, ledger);
    if (tips.isErr()) return err(tips.error);
    if (tips.value + tipMinor > maxTipsMinor) {
      return release(ports, payment, 'exceedsRemainingBalance');
    }
  }
  for (const visit of visits) {
    const why = whyNeverFits(payment, visit);
    if (why !== undefined) return release(ports, payment, why, visit.appointmentId);
  }
  return err(reservedElsewhere());
}

/**
 * Why a payment can never be reserved at one of its visits; `undefined` if it only has to wait for another
 * payment.
 */
export function whyNeverFits(
  payment: Payment,
  { appointment, business, ledger }: Dues,
): Undue | undefined {
  if (appointment === undefined) return 'appointmentGone';
  const { currency } = payment;
  const dueMinor = dueOf(payment, appointment, business).in(currency);
  const paidMinor = paidOf(ledger).in(currency);
  if (dueMinor === undefined || paidMinor === undefined) return 'currencyChanged';
  if (owedMinor(payment) === 0n) return undefined;
  const shareMinor = owedByVisit(sharesOf(payment)).get(appointment.id) ?? owedMinor(payment);
  return paidMinor + shareMinor <= dueMinor ? undefined : 'exceedsRemainingBalance';
}

/** @param appointmentId the visit that it is about, if that is not the payment's own. */
function release(
  ports: Ports,
  payment: Payment,
  why: Undue,
  appointmentId?: string,
): Reserved<never> {
  return releaseUndue({ why, appointmentId }, (cause) => cancel(ports, payment, cause));
}
