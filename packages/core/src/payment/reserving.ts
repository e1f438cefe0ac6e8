import { lease, takeOverFrom, type Written } from '../engine/carry.ts';
import { reservedElsewhere } from '../engine/faults.ts';
import { actorOf, commit } from '../frame/commit.ts';
import { type Appointment, paidOf } from '../host/appointment.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import type { Fault } from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import { readDues, releaseUndue } from './balance.ts';
import { cancel } from './cancel.ts';
import { type BooksStep, type Dues, dueOf, type Undue } from './follow.ts';
import {
  noted,
  type Payment,
  type PaymentAtWork,
  type PaymentDraft,
  type TimelineEntry,
  type Work,
} from './payment.ts';
import { owedMinor } from './tip.ts';
import { changesOf, writePayment } from './write.ts';

type Reserved<T = PaymentAtWork> = Written<T, Fault<'conflict'>>;

/**
 * Reserves the payment's amount in its appointment's ledger and begins the capture. One commit does
 * both, with the claim of the key, before a capture request is sent (D13, D20). A payment that
 * already has a reservation is joined, because the reservation belongs to the payment, not to a
 * key.
 * @param followed the payment after the processor's ledger entry.
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
  const { after, changes } = changesOf(payment, reserved, appointment.amountDueMinor);
  const written = await commit(ports, [...changes, ...claim]);
  if (written.isOk()) return ok({ ...after, work });
  const { error } = written;
  return error.kind === 'storeConflict' && error.change === 'moveLedger'
    ? cancelOrRefuse(ports, payment)
    : err(error);
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

/** Returns why the amount does not fit, and releases a payment that never will (D13). */
async function cancelOrRefuse(ports: Ports, payment: Payment): Reserved<never> {
  // Read anew, because the amount due may have been raised since.
  const dues = await readDues(ports, payment);
  if (dues.isErr()) return err(dues.error);
  const why = whyNeverFits(payment, dues.value);
  return why === undefined ? err(reservedElsewhere()) : release(ports, payment, why);
}

/** Why a payment can never be reserved; `undefined` if it only has to wait for another one. */
export function whyNeverFits(
  payment: Payment,
  { appointment, business, ledger }: Dues,
): Undue | undefined {
  if (appointment === undefined) return 'appointmentGone';
  const { currency } = payment;
  const dueMinor = dueOf(payment, appointment, business).in(currency);
  const paidMinor = paidOf(ledger).in(currency);
  if (dueMinor === undefined || paidMinor === undefined) return 'currencyChanged';
  return paidMinor + owedMinor(payment) <= dueMinor ? undefined : 'exceedsRemainingBalance';
}

function release(ports: Ports, payment: Payment, why: Undue): Reserved<never> {
  return releaseUndue(why, (cause) => cancel(ports, payment, cause));
}
