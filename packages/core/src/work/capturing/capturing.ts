import type { Payment, PaymentAtWork } from '../../domain/payment.ts';
import { type FaultOf, unavailable } from '../../domain/problem.ts';
import type { ProcessorPayment } from '../../domain/processor-payment.ts';
import { err, type Result } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../../ports/store.ts';
import { ask, handleOf, processorKey, readAtProcessor } from '../ask.ts';
import { cancelHeld } from '../canceling/canceling.ts';
import { readDues } from '../dues/read-dues.ts';
import { releaseUndue } from '../dues/release-undue.ts';
import { canceled, notCapturable, notSetUp } from '../faults.ts';
import { letGo, stillHeld, writeSeen } from '../payment/write-payment.ts';
import { type CaptureEnd, type CaptureSeen, decideCapture } from './decide-capture.ts';

export type CaptureFault = FaultOf<
  | 'conflict'
  | 'contactlessPaymentCanceled'
  | 'contactlessPaymentDeclined'
  | 'paymentProviderNotSetup'
  | 'serviceUnavailable'
>;
type CapturedOrFault = Promise<Result<Payment, CaptureFault | StoreConflict | StoreUnavailable>>;

/**
 * Finishes a capture that this call holds: compares the amount due, sends the request, decides,
 * commits.
 * @param entry the processor's ledger entry, read just before.
 */
export async function finishCapture(
  ports: Ports,
  payment: PaymentAtWork,
  entry: ProcessorPayment,
): CapturedOrFault {
  let held = payment;
  let seen: CaptureSeen = { before: entry };
  for (;;) {
    const decided = decideCapture(held, seen);
    switch (decided.next) {
      case 'compare': {
        // In this order: renewing the lease is a write, and the comparison must directly precede
        // the request.
        const kept = await stillHeld(ports, held);
        if (kept.isErr()) return err(kept.error);
        held = kept.value;
        seen = { ...seen, dues: await readDues(ports, held) };
        break;
      }
      case 'send':
        seen = { ...seen, sent: await sendCapture(ports, held, entry) };
        break;
      case 'readAfter': {
        const kept = await stillHeld(ports, held);
        if (kept.isErr()) return err(kept.error);
        held = kept.value;
        seen = { ...seen, after: await readAtProcessor(ports, held) };
        break;
      }
      case 'release':
        return releaseUndue(decided.why, (cause) => cancelHeld(ports, held, cause));
      default:
        return endCapture(ports, held, decided);
    }
  }
}

function sendCapture(ports: Ports, payment: PaymentAtWork, { reference }: ProcessorPayment) {
  return ask(ports, 'capturePayment', () =>
    ports.processor.capturePayment({
      ...handleOf(ports, payment),
      ...(reference !== undefined && { reference }),
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      idempotencyKey: processorKey(payment, 'capture'),
    }),
  );
}

/** Commits the end and returns the response. */
async function endCapture(ports: Ports, payment: PaymentAtWork, end: CaptureEnd): CapturedOrFault {
  if (end.next === 'record') {
    const written = await writeSeen(ports, payment, end.seen, 'capture');
    return end.seen.status === 'captured' ? written : written.andThen(() => err(canceled(payment)));
  }
  const { outcome, fault, provedDead } = turnedBack(payment, end);
  const written = await letGo(ports, payment, outcome, provedDead);
  return written.andThen(() => err(fault));
}

interface TurnedBack {
  /** The outcome for the timeline. */
  readonly outcome: string;
  readonly fault: CaptureFault;
  readonly provedDead?: boolean;
}

function turnedBack(payment: Payment, end: Exclude<CaptureEnd, { next: 'record' }>): TurnedBack {
  switch (end.next) {
    case 'turnBack':
      return { outcome: `found ${end.seen.status}`, fault: notCapturable(payment, end.seen) };
    case 'notSetUp':
      return { outcome: 'refused', fault: notSetUp() };
    case 'unread':
      return {
        outcome: 'unread',
        fault: unavailable('The appointment cannot be read.', 'unknown'),
      };
    case 'unknown':
      return {
        outcome: 'unknown',
        fault: unavailable('The payment processor did not say whether it captured it.', 'unknown'),
        provedDead: end.provedDead,
      };
  }
}
