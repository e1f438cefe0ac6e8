import type { Followed } from '../../domain/follow-ledger.ts';
import type { Payment, ProcessorPayment } from '../../domain/payment.ts';
import { type Fault, fault } from '../../domain/problem.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import { foreignReference, type ProcessorError } from '../../ports/processor-calls.ts';
import { readAtProcessor } from '../ask.ts';
import { cancel, releasePartial } from '../canceling/canceling.ts';
import type { Written } from '../carry.ts';
import {
  canceled,
  cannotRead,
  foreign,
  forgotten,
  notProcessed,
  notSetUp,
  type ProcessorFault,
  running,
} from '../faults.ts';
import { writePayment } from '../payment/write-payment.ts';
import { timeOf } from '../shared-time.ts';
import { decidePresented, type RefusalFault } from './decide-presented.ts';

/**
 * Reads the processor's ledger entry. The processor decides which payment the reference belongs to
 * (D16).
 */
export async function readPresented(
  ports: Ports,
  payment: Payment,
  reference: string,
): Promise<Result<ProcessorPayment, ProcessorFault>> {
  const read = await readAtProcessor(ports, payment, reference);
  if (read.isErr()) return err(unread(read.error, payment, reference));
  return read.value === undefined ? err(notProcessed()) : ok(read.value);
}

function unread(error: ProcessorError, payment: Payment, reference: string): ProcessorFault {
  switch (error.kind) {
    case 'notSetUp':
      return notSetUp();
    case 'rejected':
      // Other rejections do not show whose reference it is.
      if (error.reason !== foreignReference) return cannotRead();
      // A capture with this reference may have been sent, and the processor has lost its records.
      return payment.reserved && payment.reference === reference ? forgotten() : foreign();
    default:
      return cannotRead();
  }
}

type Checked = Written<Followed, RefusalFault | Fault<'serviceUnavailable'>>;

/**
 * Returns the payment updated from the ledger entry, if it can be captured. Otherwise it records the entry
 * and returns the reason. An overdue payment is canceled (D16, D17).
 */
export async function settlePresented(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
): Checked {
  // A cancelation would decide by the same time, and keep what only this node's clock calls overdue.
  const time = await timeOf(ports, seen);
  if (time.isErr()) return err(time.error);
  const decided = decidePresented(payment, seen, ports.clock.now(), time.value);
  switch (decided.next) {
    case 'capture':
      return ok(decided.followed);
    case 'release':
      return decided.cause === 'expired'
        ? giveUpExpired(ports, payment)
        : giveUpPartial(ports, payment, seen);
    case 'refuse': {
      const { followed } = decided;
      if (followed.passed.length > 0) {
        const written = await writePayment(ports, payment, () => followed);
        if (written.isErr()) return err(written.error);
      }
      return err(decided.fault);
    }
  }
}

async function giveUpExpired(ports: Ports, payment: Payment): Checked {
  const ended = await cancel(ports, payment, 'expired');
  if (ended.isErr()) return err(ended.error);
  return err(ended.value.state === 'canceled' ? canceled(ended.value) : running());
}

async function giveUpPartial(ports: Ports, payment: Payment, seen: ProcessorPayment): Checked {
  // If this fails, `reconcile` releases it.
  const released = await releasePartial(ports, payment, seen);
  const state = released.isOk() ? released.value.state : 'failed';
  return err(state === 'captured' ? running() : partlyApproved(state === 'canceled'));
}

/**
 * The payment is canceled with its partial authorization. Another card needs a new payment (D13).
 */
function partlyApproved(isReleased: boolean): Fault<'contactlessPaymentDeclined'> {
  return fault(
    'contactlessPaymentDeclined',
    'Only a part of the amount was approved. The card is not charged; begin a new payment.',
    { attributes: { reason: 'partiallyAuthorized', isReleased } },
  );
}
