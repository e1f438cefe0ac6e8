import { commit } from '../call/commit.ts';
import type { Undue } from '../domain/dues.ts';
import { followLedger, noted, type ProcessorPayment } from '../domain/follow-ledger.ts';
import type { Payment, PaymentAtWork, Work } from '../domain/payment.ts';
import { type Fault, fault, retryLater } from '../domain/problem.ts';
import { err, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { cancel } from './canceling.ts';
import { readAppointment } from './dues.ts';
import { lease, takeOverFrom } from './lease.ts';
import { releaseUndue } from './undue.ts';
import { changesOf, writePayment } from './write-payment.ts';

type Ending<T> = Steps<T, Fault<'conflict'> | StoreConflict | StoreUnavailable>;

/**
 * Reserves the payment's amount in its appointment's ledger and begins the capture, in one commit
 * with the claim of the key, before a capture request is sent (D13, D20). A payment that holds its
 * reservation already is joined: the reservation belongs to it and not to a key.
 */
export async function* reserve(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
  claim: readonly Change[],
): Ending<PaymentAtWork> {
  if (payment.work !== undefined) return yield* join(ports, payment, payment.work, claim);
  const appointment = yield* await readAppointment(ports, payment.appointment.id);
  if (appointment === undefined) return yield* release(ports, payment, 'appointmentGone');
  const { amountDueMinor } = appointment;
  const followed = followLedger(payment, seen, ports.clock.now(), 'capture');
  const work = lease(ports, { kind: 'capture', fence: followed.payment.version + 1 });
  const begun = beginCapture(ports, { ...followed.payment, reserved: true }, work);
  const { after, changes } = changesOf(
    payment,
    { ...followed, payment: { ...begun, version: begun.version + 1 } },
    amountDueMinor,
  );
  const written = await commit(ports, [...changes, ...claim]);
  if (written.isOk()) return { ...after, work };
  const { error } = written;
  if (error.kind === 'storeConflict' && error.change === 'moveLedger') {
    return yield* refuse(ports, payment, amountDueMinor);
  }
  return yield* err(error);
}

async function* join(
  ports: Ports,
  payment: Payment,
  before: Work,
  claim: readonly Change[],
): Ending<PaymentAtWork> {
  const work = yield* takeOverFrom(ports, before);
  const joined = yield* await writePayment(
    ports,
    payment,
    (stored) => ({ payment: beginCapture(ports, stored, work), passed: [] }),
    claim,
  );
  return { ...joined, work };
}

function beginCapture(ports: Ports, payment: Payment, work: Work): Payment {
  const entry = { at: ports.clock.now(), what: 'capturing', cause: 'capture' };
  return { ...noted(payment, entry), work, nextCheckAt: work.leaseUntil };
}

/** Says why the amount does not fit, and releases what never will (D13). */
async function* refuse(ports: Ports, payment: Payment, amountDueMinor: bigint): Ending<never> {
  const ledger = yield* await ports.store.ledgers.get(payment.appointment.id);
  const { currency = payment.currency, capturedMinor } = ledger;
  if (currency !== payment.currency) return yield* release(ports, payment, 'currencyChanged');
  if (capturedMinor + payment.amountMinor <= amountDueMinor) return yield* err(reservedElsewhere());
  return yield* release(ports, payment, 'exceedsRemainingBalance');
}

function release(ports: Ports, payment: Payment, why: Undue): Ending<never> {
  return releaseUndue(why, (cause) => cancel(ports, payment, cause));
}

function reservedElsewhere(): Fault<'conflict'> {
  return fault('conflict', 'Another payment of this appointment is being captured.', {
    recovery: retryLater,
    attributes: { reason: 'reservedElsewhere' },
  });
}
