import { commit } from '../frame/commit.ts';
import { cancelHeld, causeOf } from '../payment/cancel.ts';
import { type CaptureFault, finishCapture } from '../payment/capture.ts';
import {
  ask,
  handleOf,
  processorKey,
  readAtProcessor,
  visitOf,
  type Written,
} from '../payment/carry.ts';
import { whyUndue } from '../payment/dues.ts';
import { didNotSay, type ProcessorFault, refusalOf, running } from '../payment/faults.ts';
import { readDuesRestored, releaseUndue } from '../payment/find.ts';
import { type BooksStep, followBooks, isPartial } from '../payment/follow.ts';
import {
  carryOpening,
  closed,
  closeOpening,
  type OpeningEnd,
  paymentOpening,
  type Sent,
  withdrawal,
} from '../payment/opening.ts';
import {
  type CancelCause,
  draftWithoutWork,
  erasedSecret,
  isAtWork,
  isFinal,
  noted,
  type Payment,
  type PaymentAtWork,
  type ProcessorPayment,
  type Work,
  withoutUnsettled,
} from '../payment/payment.ts';
import { letGo, writeBooks, writePayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { CommitError } from '../ports/store.ts';
import type { Fault, FaultOf } from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { type ChargeRefusal, chargeRefusals } from './charge.ts';

// A charge is a payment that is authorized with a saved method, and then captured as any other. Its
// amount is reserved from the beginning.

/** The ended charge: captured, or canceled because it was refused. */
type ChargedOrFault = Written<Payment, ProcessorFault>;

/**
 * Finishes a charge that this call holds, from where it was interrupted. After a lost reply the processor is read.
 * Until it tells, the response is `unknown`, and the same request or upkeep goes on here.
 * @param before `unread`: reads the processor before it authorizes again.
 */
export async function finishCharge(
  ports: Ports,
  payment: PaymentAtWork,
  before?: 'unread',
): ChargedOrFault {
  switch (payment.work.kind) {
    case 'open':
      return carryOpening<PaymentAtWork, ProcessorPayment, Payment, ProcessorFault>(
        ports,
        payment,
        before,
        {
          ...paymentOpening(ports),
          send: (held) => compareAndSend(ports, held),
          end: (held, end) => endAuthorizing(ports, held, end),
        },
      );
    case 'capture': {
      const read = await readAtProcessor(ports, payment);
      if (read.isOk() && read.value !== undefined) {
        return chargeAuthorized(ports, payment, read.value);
      }
      const written = await letGo(ports, payment, 'unread');
      return written.andThen(() => err(didNotSay('it charged the method')));
    }
    default:
      return cancelHeld(ports, payment, causeOf(payment.work));
  }
}

/** Captures an authorized charge; cancels a refused one. */
export async function chargeAuthorized(
  ports: Ports,
  payment: PaymentAtWork,
  seen: ProcessorPayment,
): ChargedOrFault {
  if (seen.status === 'failed' || isPartial(payment, seen)) {
    // It never becomes another request: only the host may try again, with a new key.
    return cancelHeld(ports, payment, seen.refusal ?? 'declined');
  }
  const captured = await finishCapture(ports, payment, seen);
  return captured.mapErr((error) => (isOpenEnd(error) ? running() : error));
}

type OpenEnd = FaultOf<'contactlessPaymentCanceled' | 'contactlessPaymentDeclined'>;

/**
 * Whether a capture tells a terminal to take another card or to wait. That leaves open how the charge ends: the same
 * request finds it later, so it may still be applied (D22).
 */
function isOpenEnd(error: CaptureFault | CommitError): error is OpenEnd | Fault<'conflict'> {
  if (!('type' in error)) return false;
  switch (error.type) {
    case 'contactlessPaymentCanceled':
    case 'contactlessPaymentDeclined':
      return true;
    default:
      return error.attributes?.reason === 'notProcessed';
  }
}

/**
 * Reads the appointment directly before the request: the host may have given it to somebody else since
 * the charge was reserved.
 */
async function compareAndSend(
  ports: Ports,
  payment: PaymentAtWork,
): Promise<Sent<ProcessorPayment>> {
  const dues = await readDuesRestored(ports, payment);
  if (dues.isErr()) return { isUnread: true };
  const undue = whyUndue(payment, dues.value);
  return undue === undefined ? { sent: await sendAuthorization(ports, payment) } : { undue };
}

async function sendAuthorization(
  ports: Ports,
  payment: PaymentAtWork,
): Promise<Result<ProcessorPayment, ProcessorError>> {
  const { charge, amountMinor, currency, applicationFeeMinor } = payment;
  const { charges } = ports.processor;
  // The host has replaced its processor since, so no request is sent.
  if (charge === undefined || charges === undefined) return err({ kind: 'notSetUp' });
  const { customerId, setupReference, paymentMethod } = charge;
  return ask(ports, 'authorizeMethod', () =>
    charges.authorize({
      ...handleOf(ports, payment),
      visit: visitOf(payment),
      amountMinor,
      currency,
      ...(applicationFeeMinor !== undefined && { applicationFeeMinor }),
      method: { customerId, setupReference, paymentMethod },
      idempotencyKey: processorKey(payment, 'open'),
    }),
  );
}

async function endAuthorizing(
  ports: Ports,
  payment: PaymentAtWork,
  end: OpeningEnd<ProcessorPayment>,
): ChargedOrFault {
  const now = ports.clock.now();
  const refuse = (cause: CancelCause) =>
    writePayment(ports, payment, (stored) => ({
      payment: refusedUnseen(stored, cause, now),
      passed: ['created', 'canceled'],
    }));
  switch (end.next) {
    case 'record': {
      const { seen } = end;
      const written = await writeBooks(ports, payment, (stored) =>
        recorded(stored, payment.work, seen, now),
      );
      if (written.isErr()) return err(written.error);
      const after = written.value;
      return isAtWork(after) ? chargeAuthorized(ports, after, seen) : ok(after);
    }
    case 'withdraw': {
      const { error } = end;
      const refusal = refusalIn(error);
      if (refusal === undefined) {
        const written = await commit(ports, withdrawal(payment));
        const detail = 'The payment processor rejected this charge.';
        return written.andThen(() => err(refusalOf(error, detail)));
      }
      return refuse(refusal);
    }
    case 'unknown': {
      const written = await letGo(ports, payment, 'unknown', end.needsNewKey);
      return written.andThen(() => err(didNotSay('it charged the method')));
    }
    case 'close': {
      const { undue } = end;
      if (undue === undefined) return closeOpening(ports, payment, now);
      return releaseUndue({ why: undue }, refuse);
    }
  }
}

/** The payment after its entry was seen for the first time; it stays reserved for its capture. */
function recorded(stored: Payment, work: Work, seen: ProcessorPayment, at: EpochMs): BooksStep {
  const draft = draftWithoutWork(withoutUnsettled(stored));
  draft.clientSecret = seen.clientSecret;
  // Another fence, so that a call that is taking the opening over does not begin it again.
  draft.work = { ...work, kind: 'capture', fence: work.fence + 1 };
  draft.version = stored.version + 1;
  draft.checks = 0;
  draft.timeline = noted(stored.timeline, { at, what: 'created', cause: 'charge' });
  const followed = followBooks(draft, seen, at, 'charge');
  const passed = ['created' as const, ...followed.passed];
  if (isFinal(followed.payment)) return { ...followed, passed };
  // Its holder goes on with the capture.
  const payment = { ...followed.payment, nextCheckAt: work.leaseUntil };
  return { ...followed, payment, passed };
}

/** The processor has no entry of it: it no longer has the method, or no request was sent. */
function refusedUnseen(stored: Payment, cause: CancelCause, at: EpochMs): Payment {
  // Shown to the host, as other refused charges are.
  return {
    ...closed(stored, at),
    clientSecret: erasedSecret,
    version: stored.version + 2,
    updatedAt: at,
    timeline: noted(stored.timeline, { at, what: 'canceling', cause }),
  };
}

function refusalIn(error: ProcessorError): ChargeRefusal | undefined {
  if (error.kind !== 'rejected') return undefined;
  return chargeRefusals.find((refusal) => refusal === error.reason);
}
