import {
  findContactlessPayment,
  isReadOf,
  notFound,
  readAppointment,
  requireBarber,
  requireBarberOf,
} from '../call/access.ts';
import { problemFor } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { withoutDeadline } from '../call/deadline.ts';
import {
  type Claim,
  claimKey,
  judgeKey,
  type KeyUse,
  keyUse,
  storeProblem,
} from '../call/idempotency.ts';
import type { Unvalidated } from '../call/input.ts';
import { type ErrorOfSteps, operation, type Valid } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import type { Appointment } from '../domain/appointment.ts';
import { isFinal, type OpenedPayment, type Payment } from '../domain/payment.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { canBeId } from '../domain/text.ts';
import type { Ports } from '../ports/ports.ts';
import type { Read, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  type CaptureContactlessPaymentBody,
  type ContactlessPayment,
  captureContactlessPaymentBodySchema,
  contactlessPaymentSchema,
} from '../schemas/contactless-payment.ts';
import { contactlessPaymentShapes } from '../schemas/shapes/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';
import { cancel, releaseOthers } from '../work/canceling/canceling.ts';
import { causeOf } from '../work/canceling/decide-canceling.ts';
import { type CaptureFault, finishCapture } from '../work/capturing/capturing.ts';
import { readPresented, settlePresented } from '../work/capturing/presented.ts';
import { repeatedCapture } from '../work/capturing/repeated-capture.ts';
import { reserve } from '../work/capturing/reserving.ts';
import { canceled, foreign } from '../work/faults.ts';
import { notHeld } from '../work/lease.ts';
import { writeSeen } from '../work/payment/write-payment.ts';

export interface CaptureContactlessPaymentInput {
  readonly contactlessPaymentId: string;
  /** 1 to 255 characters. The same key means the same capture (D19). */
  readonly idempotencyKey: string;
  /** The reference that the processor's SDK returned when the card was presented. */
  readonly body: CaptureContactlessPaymentBody | Unvalidated;
}

const captureProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'contactlessPaymentCanceled',
  'contactlessPaymentDeclined',
  'unprocessableEntity',
  'paymentProviderNotSetup',
] as const;
type CaptureError = ErrorOfSteps<(typeof captureProblems)[number]>;
type Captured<T = ContactlessPayment> = Promise<Result<T, CaptureError>>;

export const captureContactlessPayment = {
  /**
   * Captures a payment after a card was presented, exactly once. On a 409 with `retry:
   * 'retrySameRequestAfterDelay'` send the same request again.
   *
   * @example
   * const captured = await chairside.captureContactlessPayment(barber, {
   *   contactlessPaymentId: opened.id,
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { externalPaymentReference: { id: 'pi_3Q', paymentProcessor: 'processor_a' } },
   * });
   * if (captured.isErr() && captured.error.type === 'contactlessPaymentDeclined') {
   *   console.log('Present another card, then capture again.');
   * }
   */
  captureContactlessPayment: operation<CaptureContactlessPaymentInput, ContactlessPayment>()({
    limit: 'writes',
    problems: captureProblems,
    group: 'Contactless payments',
    summary: 'Captures a card payment that the processor has authorized',
    description:
      'Send it when the SDK has processed the card, with the reference that the SDK returned. An appointment is never charged twice: a capture beyond the remaining balance is a conflict. Capturing a captured payment again returns the payment.',
    idempotencyKey: 'required',
    body: { schema: captureContactlessPaymentBodySchema, required: true },
    output: contactlessPaymentSchema,
    shapes: contactlessPaymentShapes,
    run: capture,
  }),
};

async function capture(
  run: Run,
  { contactlessPaymentId, idempotencyKey, body }: Valid<CaptureContactlessPaymentInput>,
): Captured {
  const { ports, auth, call } = run;
  const barber = requireBarber(auth);
  if (barber.isErr()) return err(barber.error);
  // An invalid id names no payment (D1).
  if (!canBeId(contactlessPaymentId)) return err(notFound('payment'));

  const use = keyUse(auth, 'captureContactlessPayment', idempotencyKey, contactlessPaymentId, body);
  const { appointments, keys } = ports.store;
  // The store makes all reads of one turn together (D71). The async function is last: a store that
  // throws then leaves no rejected promise behind.
  const [known, appointment, loaded] = await Promise.all([
    keys.get(use.subject, use.key),
    appointments.getByPayment?.(contactlessPaymentId),
    findContactlessPayment(ports, contactlessPaymentId),
  ]);
  if (loaded.isErr()) return err(loaded.error);
  const found = loaded.value;
  const allowed = await requireBarberOf(ports, found, barber.value);
  if (allowed.isErr()) return err(allowed.error);
  if (known.isErr()) return err(known.error);
  // A stored "canceled" is invalid once the processor has shown the payment captured.
  const storable = found.state === 'captured' ? [] : (['contactlessPaymentCanceled'] as const);
  const claimed = judgeKey(call, use, known.value, storable);
  if (claimed.isErr()) return err(claimed.error);
  const claim = claimed.value;
  const request: CaptureRequest = {
    use,
    claim,
    reference: body.externalPaymentReference.id,
  };

  const settled = await carryOutCancel(ports, found);
  if (settled.isErr()) return err(settled.error);
  const payment = settled.value;
  const { reference = request.reference } = payment;
  // Our marks can be copied to another entry, which must not end the payment of this one (D13, D16).
  if (reference !== request.reference) return err(foreign());
  if (isFinal(payment)) return answerFinal(run, request, payment);
  const free = notHeld(ports, payment);
  if (free.isErr()) return err(free.error);
  return captureOpen(run, request, payment, appointment);
}

/** The payment, the reference and the key of a capture. */
interface CaptureRequest {
  readonly use: KeyUse;
  readonly claim: Claim | undefined;
  readonly reference: string;
}

/** Finishes a cancelation that was interrupted, because it excludes capture (D17). */
async function carryOutCancel(ports: Ports, payment: OpenedPayment): Captured<Payment> {
  const { work } = payment;
  return work?.kind === 'cancel' ? cancel(ports, payment, causeOf(work)) : ok(payment);
}

/**
 * Captures a payment that has no unfinished work and is not final.
 * @param beside its appointment, if the store has read it with the payment. A host that keeps
 * appointments elsewhere is asked for it while the processor is read.
 */
async function captureOpen(
  run: Run,
  request: CaptureRequest,
  payment: Payment,
  beside: Awaited<Read<Appointment | undefined>> | undefined,
): Captured {
  const { ports } = run;
  const { use, claim } = request;
  const claiming = claim === undefined ? [claimKey(use, payment.id)] : [];
  const { id } = payment.appointment;
  const [read, appointment] = await Promise.all([
    readPresented(ports, payment, request.reference),
    isReadOf(id, beside) ? beside : readAppointment(ports, id),
  ]);
  if (read.isErr()) return err(read.error);
  const seen = read.value;
  if (seen.status === 'captured') {
    const recorded = await writeSeen(ports, payment, seen, 'capture', claiming);
    return recorded.map((captured) => answerCaptured(ports, captured));
  }
  const capturable = await settlePresented(ports, payment, seen);
  if (capturable.isErr()) return refuseCapture(run, use, claim?.resourceId, capturable.error);

  const reserved = await reserve(ports, payment, capturable.value, appointment, claiming);
  if (reserved.isErr()) return err(reserved.error);
  const captured = await finishCapture(ports, reserved.value, seen);
  if (captured.isErr()) return refuseCapture(run, use, payment.id, captured.error);
  return ok(answerCaptured(ports, captured.value));
}

function answerCaptured(ports: Ports, payment: Payment): ContactlessPayment {
  ports.background(() => releaseOthers(withoutDeadline(ports), payment.appointment.id));
  return viewPayment(payment);
}

/** Returns a captured payment again, or refuses because it is canceled. */
async function answerFinal(run: Run, { use, claim }: CaptureRequest, payment: Payment): Captured {
  if (payment.state === 'canceled') {
    return refuseCapture(run, use, claim?.resourceId, canceled(payment));
  }
  if (claim === undefined) {
    const written = await commit(run.ports, repeatedCapture(run.ports, use, payment));
    if (written.isErr()) return err(written.error);
  } else {
    run.call.facts.replayed = true;
  }
  return ok(viewPayment(payment));
}

/** "Canceled" is final and stored under the key. Other reasons may pass (D21). */
function refuseCapture(
  { ports, call }: Run,
  use: KeyUse,
  claimed: string | undefined,
  reason: CaptureFault | StoreConflict | StoreUnavailable,
): Captured<never> {
  const isKept = 'type' in reason && reason.type === 'contactlessPaymentCanceled';
  return isKept
    ? storeProblem(ports, use, problemFor(ports, call, reason), claimed)
    : Promise.resolve(err(reason));
}
