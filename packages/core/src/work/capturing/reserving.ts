import { readAppointment } from '../../call/access.ts';
import { commit } from '../../call/commit.ts';
import type { Appointment, Ledger } from '../../domain/appointment.ts';
import type { Undue } from '../../domain/dues.ts';
import type { Followed } from '../../domain/follow-ledger.ts';
import {
  noted,
  type Payment,
  type PaymentAtWork,
  type PaymentDraft,
  type Work,
} from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import { owedMinor } from '../../domain/tip.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { cancel } from '../canceling/canceling.ts';
import type { Written } from '../carry.ts';
import { releaseUndue } from '../dues/release-undue.ts';
import { reservedElsewhere } from '../faults.ts';
import { lease, takeOverFrom } from '../lease.ts';
import { changesOf } from '../payment/payment-changes.ts';
import { writePayment } from '../payment/write-payment.ts';

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
  followed: Followed,
  found: Result<Appointment | undefined, StoreUnavailable>,
  claim: readonly Change[],
): Reserved {
  if (payment.work !== undefined) return join(ports, payment, payment.work, claim);
  if (found.isErr()) return err(found.error);
  const appointment = found.value;
  if (appointment === undefined) return release(ports, payment, 'appointmentGone');
  const work = lease(ports, { kind: 'capture', fence: followed.payment.version + 1 });
  const { amountDueMinor } = appointment;
  const reserved = beginReserved(followed, work, ports.clock.now(), amountDueMinor);
  const { after, changes } = changesOf(payment, reserved);
  const written = await commit(ports, [...changes, ...claim]);
  if (written.isOk()) return ok({ ...after, work });
  const { error } = written;
  return error.kind === 'storeConflict' && error.change === 'moveLedger'
    ? cancelOrRefuse(ports, payment)
    : err(error);
}

/** The payment with its amount reserved: one version more than the entry alone would give. */
function beginReserved(
  followed: Followed,
  work: Work,
  now: EpochMs,
  maxCommittedMinor: bigint,
): Followed {
  const begun = beginCapture(followed.payment, work, now);
  begun.reserved = true;
  begun.version += 1;
  return { ...followed, payment: begun, maxCommittedMinor };
}

function beginCapture(payment: Payment, work: Work, at: EpochMs): PaymentDraft {
  const timeline = noted(payment.timeline, { at, what: 'capturing', cause: 'capture' });
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
  const become = (stored: Payment) => ({
    payment: beginCapture(stored, work, ports.clock.now()),
    passed: [],
  });
  const joined = await writePayment(ports, payment, become, claim);
  return joined.map((held) => ({ ...held, work }));
}

/** Returns why the amount does not fit, and releases a payment that never will (D13). */
async function cancelOrRefuse(ports: Ports, payment: Payment): Reserved<never> {
  const { id } = payment.appointment;
  // Read anew, because the amount due may have been raised since.
  const [ledger, found] = await Promise.all([
    ports.store.ledgers.get(id),
    readAppointment(ports, id),
  ]);
  if (found.isErr()) return err(found.error);
  if (ledger.isErr()) return err(ledger.error);
  if (found.value === undefined) return release(ports, payment, 'appointmentGone');
  const why = whyNeverFits(payment, found.value, ledger.value);
  return why === undefined ? err(reservedElsewhere()) : release(ports, payment, why);
}

/** Why a payment can never be reserved; `undefined` if it only has to wait for another one. */
export function whyNeverFits(
  payment: Payment,
  { amountDueMinor }: Appointment,
  ledger: Ledger,
): Undue | undefined {
  const { currency } = payment;
  if ((ledger.currency ?? currency) !== currency) return 'currencyChanged';
  return ledger.capturedMinor + owedMinor(payment) <= amountDueMinor
    ? undefined
    : 'exceedsRemainingBalance';
}

function release(ports: Ports, payment: Payment, why: Undue): Reserved<never> {
  return releaseUndue(why, (cause) => cancel(ports, payment, cause));
}
