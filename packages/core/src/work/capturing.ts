import { whyUndue } from '../domain/dues.ts';
import type { ProcessorPayment } from '../domain/follow-ledger.ts';
import { formatMoney } from '../domain/money.ts';
import type { Payment, PaymentAtWork } from '../domain/payment.ts';
import { type FaultOf, fault, unavailable } from '../domain/problem.ts';
import { err, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { ask, handleOf, processorKey, provesDead, readAtProcessor } from './ask.ts';
import { cancelHeld } from './canceling.ts';
import { readDues } from './dues.ts';
import { canceled, declined, notProcessed, notSetUp } from './faults.ts';
import { releaseUndue } from './undue.ts';
import { letGo, writeSeen } from './write-payment.ts';

type CaptureFault = FaultOf<
  | 'conflict'
  | 'contactlessPaymentCanceled'
  | 'contactlessPaymentDeclined'
  | 'paymentProviderNotSetup'
  | 'serviceUnavailable'
>;
type Ending<T = Payment> = Steps<T, CaptureFault | StoreConflict | StoreUnavailable>;

/**
 * Carries a capture that this call holds to its end. From here on a capture request may have been
 * sent, so the reservation stays until the processor shows the payment captured or canceled (D13).
 * @param seen the processor's ledger entry, as read just before.
 */
export async function* finishCapture(
  ports: Ports,
  payment: PaymentAtWork,
  seen: ProcessorPayment,
): Ending {
  if (seen.status !== 'authorized') return yield* ended(ports, payment, seen);
  // Before every send: what is due may have fallen since the amount was reserved (D13).
  const dues = await readDues(ports, payment);
  if (dues.isErr()) {
    yield* await letGo(ports, payment, 'unread');
    return yield* err(unavailable('What the appointment owes cannot be read.', 'unknown'));
  }
  const why = whyUndue(payment, dues.value);
  if (why !== undefined) {
    return yield* releaseUndue(why, (cause) => cancelHeld(ports, payment, cause));
  }
  const captured = await ask(ports, 'capturePayment', () =>
    ports.processor.capturePayment({
      ...handleOf(ports, payment),
      ...(seen.reference !== undefined && { reference: seen.reference }),
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      idempotencyKey: processorKey(payment, 'capture'),
    }),
  );
  if (captured.isOk()) return yield* ended(ports, payment, captured.value);
  const { error } = captured;
  if (error.kind === 'notSetUp') {
    yield* await letGo(ports, payment, 'refused');
    return yield* err(notSetUp());
  }
  const after = await readAtProcessor(ports, payment);
  if (after.isErr() || after.value === undefined) return yield* unknown(ports, payment, false);
  if (after.value.status !== 'authorized') return yield* ended(ports, payment, after.value);
  return yield* unknown(ports, payment, provesDead(error));
}

/** Records what the ledger shows and answers accordingly. */
async function* ended(ports: Ports, payment: PaymentAtWork, seen: ProcessorPayment): Ending {
  if (seen.status === 'captured') return yield* await writeSeen(ports, payment, seen, 'capture');
  if (seen.status === 'canceled') {
    yield* await writeSeen(ports, payment, seen, 'capture');
    return yield* err(canceled(payment));
  }
  yield* await letGo(ports, payment, `found ${seen.status}`);
  return yield* err(notCapturable(payment, seen));
}

async function* unknown(ports: Ports, payment: PaymentAtWork, provedDead: boolean): Ending<never> {
  yield* await letGo(ports, payment, 'unknown', provedDead);
  return yield* err(
    unavailable('The payment processor did not say whether it captured it.', 'unknown'),
  );
}

/** What a ledger entry means for a capture that was not sent yet (D16). */
export function checkCapturable(
  payment: Payment,
  seen: ProcessorPayment,
): CaptureFault | undefined {
  const isSame =
    seen.amountMinor === payment.amountMinor &&
    seen.currency === payment.currency &&
    seen.account === payment.account;
  if (!isSame) {
    return fault('conflict', 'The processor shows another amount, currency or account.', {
      attributes: { reason: 'differsAtProcessor', amount: formatMoney(seen.amountMinor) },
    });
  }
  return seen.status === 'authorized' || seen.status === 'captured'
    ? undefined
    : notCapturable(payment, seen);
}

function notCapturable(payment: Payment, seen: ProcessorPayment): CaptureFault {
  switch (seen.status) {
    case 'canceled':
      return canceled(payment);
    case 'failed':
      return declined();
    default:
      return notProcessed();
  }
}
