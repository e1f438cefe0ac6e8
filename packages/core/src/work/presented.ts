import { followLedger, isPartial, type ProcessorPayment } from '../domain/follow-ledger.ts';
import type { Payment } from '../domain/payment.ts';
import { type Fault, type FaultOf, fault } from '../domain/problem.ts';
import { err, resultOf, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { readAtProcessor } from './ask.ts';
import { cancel, releasePartial } from './canceling.ts';
import { checkCapturable } from './capturing.ts';
import {
  canceled,
  cannotRead,
  foreign,
  forgotten,
  notProcessed,
  notSetUp,
  running,
} from './faults.ts';
import { writePayment } from './write-payment.ts';

type ReadFault = FaultOf<
  'conflict' | 'paymentProviderNotSetup' | 'serviceUnavailable' | 'unprocessableEntity'
>;

/** Reads the processor's ledger entry; the processor says whose the reference is (D16). */
export async function* readPresented(
  ports: Ports,
  payment: Payment,
  reference: string,
): Steps<ProcessorPayment, ReadFault> {
  const read = await readAtProcessor(ports, payment, reference);
  if (read.isErr()) return yield* err(unread(read.error, payment));
  if (read.value === undefined) return yield* err(notProcessed());
  return read.value;
}

function unread(error: ProcessorError, { reserved }: Payment): ReadFault {
  switch (error.kind) {
    case 'notSetUp':
      return notSetUp();
    case 'rejected':
      return reserved ? forgotten() : foreign();
    default:
      return cannotRead();
  }
}

/** The payment is given up with what was approved: another card takes a new one (D13). */
function partlyApproved(isReleased: boolean): Fault<'contactlessPaymentDeclined'> {
  return fault(
    'contactlessPaymentDeclined',
    'Only a part of the amount was approved, which charges nothing; begin a new payment.',
    { attributes: { reason: 'partiallyAuthorized', isReleased } },
  );
}

type CheckFault = FaultOf<
  | 'conflict'
  | 'contactlessPaymentCanceled'
  | 'contactlessPaymentDeclined'
  | 'paymentProviderNotSetup'
  | 'serviceUnavailable'
>;

/**
 * Ends in the reason why a payment cannot be captured now, once that is written down; a payment
 * whose time is over is canceled (D16, D17).
 */
export async function* checkPresented(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
): Steps<void, CheckFault | StoreConflict | StoreUnavailable> {
  // A capture may have been sent already: from then on only its own end counts (D13).
  if (payment.reserved) return;
  if (isPartial(payment, seen)) {
    // If this does not get through, `reconcile` releases it.
    const released = await resultOf(releasePartial(ports, payment, seen));
    const state = released.isOk() ? released.value.state : 'failed';
    return yield* err(state === 'captured' ? running() : partlyApproved(state === 'canceled'));
  }
  const now = ports.clock.now();
  const followed = followLedger(payment, seen, now, 'capture');
  if (followed.payment.state !== 'canceled' && now >= followed.payment.expiresAt) {
    const ended = yield* cancel(ports, payment, 'expired');
    return yield* err(ended.state === 'canceled' ? canceled(ended) : running());
  }
  const reason = checkCapturable(payment, seen);
  if (reason === undefined) return;
  if (followed.passed.length > 0) yield* await writePayment(ports, payment, () => followed);
  return yield* err(reason);
}
