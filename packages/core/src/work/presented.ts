import { observe, type ProcessorPayment } from '../domain/observe.ts';
import type { Payment } from '../domain/payment.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../domain/problem.ts';
import { err, ok, type ResultAsync, safeTry } from '../domain/result.ts';
import { running } from '../idempotency.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { readAtProcessor } from './ask.ts';
import { cancel } from './canceling.ts';
import { canceled, checkCapturable, declined, notProcessed } from './capturing.ts';
import { notSetUp } from './opening.ts';
import { record, recordSeen } from './record.ts';

type ReadFault = FaultOf<
  'conflict' | 'paymentProviderNotSetup' | 'serviceUnavailable' | 'unprocessableEntity'
>;

/** Reads the processor's ledger entry; the processor says whose the reference is (D16). */
export function readPresented(
  ports: Ports,
  payment: Payment,
  reference: string,
): ResultAsync<ProcessorPayment, ReadFault> {
  return readAtProcessor(ports, payment, reference)
    .mapErr((error): ReadFault => {
      switch (error.kind) {
        case 'notSetUp':
          return notSetUp();
        case 'rejected':
          return foreign();
        default:
          return unavailable('The payment processor cannot be read.', 'notApplied');
      }
    })
    .andThen((seen) => (seen === undefined ? err(notProcessed()) : ok(seen)));
}

export function foreign(): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', 'The reference does not belong to this payment.', {
    attributes: { pointer: '/externalPaymentReference/id' },
  });
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
export function checkPresented(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
): ResultAsync<void, CheckFault | StoreConflict | StoreUnavailable> {
  return safeTry(async function* () {
    // A capture may have been sent already: from then on only its own end counts (D13).
    if (payment.reserved) return ok();
    if (isPartial(payment, seen)) {
      yield* await releasePartial(ports, payment, seen);
      return err(declined());
    }
    const now = ports.clock.now();
    const observed = observe(payment, seen, now, 'capture');
    if (observed.payment.state !== 'canceled' && now >= observed.payment.expiresAt) {
      const ended = yield* await cancel(ports, payment, 'expired');
      return err(ended.state === 'canceled' ? canceled() : running());
    }
    const reason = checkCapturable(payment, seen);
    if (reason === undefined) return ok();
    if (observed.passed.length > 0) yield* await record(ports, payment, () => observed);
    return err(reason);
  });
}

/** Less was approved than asked for. */
function isPartial(payment: Payment, seen: ProcessorPayment): boolean {
  const { status, authorizedMinor = seen.amountMinor } = seen;
  return status === 'authorized' && authorizedMinor < payment.amountMinor;
}

/** A partial authorization counts as failed and is released (D13). */
function releasePartial(ports: Ports, payment: Payment, seen: ProcessorPayment) {
  const failed = { ...seen, status: 'failed' as const };
  return recordSeen(ports, payment, failed, 'partiallyAuthorized').map(async (recorded) => {
    // If this does not get through, the payment's time limit releases it.
    const released = await cancel(ports, recorded, 'partiallyAuthorized');
    return released.isOk();
  });
}
