import type { Payment, PaymentAtWork, ProcessorPayment } from '../../domain/payment.ts';
import { type FaultOf, unavailable } from '../../domain/problem.ts';
import { err } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import { ask, handleOf, processorKey, readAtProcessor } from '../ask.ts';
import { cancelHeld } from '../canceling/canceling.ts';
import { carry, type Written } from '../carry.ts';
import { readDues } from '../dues/read-dues.ts';
import { releaseUndue } from '../dues/release-undue.ts';
import { canceled, didNotSay, notCapturable, notSetUp } from '../faults.ts';
import { holdPayment, letGo, writeSeen } from '../payment/write-payment.ts';
import { type CaptureEnd, type CaptureSeen, decideCapture } from './decide-capture.ts';

export type CaptureFault = FaultOf<
  | 'conflict'
  | 'contactlessPaymentCanceled'
  | 'contactlessPaymentDeclined'
  | 'paymentProviderNotSetup'
  | 'serviceUnavailable'
>;
type CapturedOrFault = Written<Payment, CaptureFault>;

/**
 * Finishes a capture that this call holds: compares the amount due, sends the request, decides,
 * commits.
 * @param entry the processor's ledger entry, read just before.
 */
export function finishCapture(
  ports: Ports,
  payment: PaymentAtWork,
  entry: ProcessorPayment,
): CapturedOrFault {
  const known: CaptureSeen = { before: entry };
  return carry(ports, payment, known, {
    decide: decideCapture,
    steps: {
      compare: async (held) => ({ dues: await readDues(ports, held) }),
      send: async (held) => ({ sent: await sendCapture(ports, held) }),
      readAfter: async (held) => ({ after: await readAtProcessor(ports, held) }),
    },
    // The comparison must directly precede the request.
    direct: 'send',
    hold: holdPayment,
    end: (held, end) =>
      end.next === 'release'
        ? releaseUndue(end.why, (cause) => cancelHeld(ports, held, cause))
        : endCapture(ports, held, end),
  });
}

function sendCapture(ports: Ports, payment: PaymentAtWork) {
  return ask(ports, 'capturePayment', () =>
    ports.processor.capturePayment({
      ...handleOf(ports, payment),
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      idempotencyKey: processorKey(payment, 'capture'),
    }),
  );
}

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
        fault: didNotSay('it captured it'),
        provedDead: end.provedDead,
      };
  }
}
