import { findPayment, requireBarber, requireBarberOf } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import {
  claimKey,
  type KeyUse,
  keyUse,
  lookUpKey,
  repeatKey,
  storeProblem,
} from '../call/idempotency.ts';
import { parseInput, type Unvalidated } from '../call/input.ts';
import {
  type CommonProblem,
  perform,
  problemFor,
  type Run,
  type StepError,
} from '../call/perform.ts';
import type { Payment } from '../domain/payment.ts';
import type { Fault, Problem, ProblemOf } from '../domain/problem.ts';
import { err, type Result, type ResultAsync, resultOf, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  type CaptureContactlessPaymentBody,
  type ContactlessPayment,
  captureContactlessPaymentInputSchema,
} from '../schemas/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';
import { cancel, causeOf } from '../work/canceling.ts';
import { finishCapture } from '../work/capturing.ts';
import { canceled, foreign } from '../work/faults.ts';
import { notHeld } from '../work/lease.ts';
import { checkPresented, readPresented } from '../work/presented.ts';
import { releaseOthers } from '../work/release-others.ts';
import { reserve } from '../work/reserving.ts';
import { writeSeen } from '../work/write-payment.ts';

export interface CaptureContactlessPaymentInput {
  readonly contactlessPaymentId: string;
  /** 1 to 255 characters; the same key is the same capture (D19). */
  readonly idempotencyKey: string;
  /** The reference that the processor's SDK gave when the card was presented. */
  readonly body: CaptureContactlessPaymentBody | Unvalidated;
}

export type CaptureContactlessPaymentError = ProblemOf<
  | 'badRequest'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'contactlessPaymentCanceled'
  | 'contactlessPaymentDeclined'
  | 'unprocessableEntity'
  | 'paymentProviderNotSetup'
  | CommonProblem
>;

/**
 * Captures a payment that the processor has authorized: once, whatever fails and whoever asks again
 * (spec "Contactless payments", D13, D16, D20).
 */
export function captureContactlessPayment(
  ports: Ports,
  caller: Caller,
  input: CaptureContactlessPaymentInput,
): ResultAsync<ContactlessPayment, CaptureContactlessPaymentError> {
  return perform(ports, 'captureContactlessPayment', caller, (run) => steps(run, input), input);
}

async function* steps(run: Run, input: CaptureContactlessPaymentInput) {
  const { ports, auth, call } = run;
  const { idempotencyKey, body } = yield* parseInput(captureContactlessPaymentInputSchema, {
    idempotencyKey: input.idempotencyKey,
    body: input.body,
  });
  const barberId = yield* requireBarber(auth);
  const found = yield* await findPayment(ports, input.contactlessPaymentId);
  yield* requireBarberOf(ports, found, barberId);

  const asked = keyUse(auth, 'captureContactlessPayment', idempotencyKey, found.id, body);
  // A stored "canceled" no longer holds once the processor has shown the payment captured.
  const storable = found.state === 'captured' ? [] : (['contactlessPaymentCanceled'] as const);
  const claimed = yield* await lookUpKey(ports, call, asked, storable);
  const use = claimed === undefined ? asked : { ...asked, key: claimed.key };
  const isNew = claimed === undefined;
  const claim = isNew ? [claimKey(use, found.id)] : [];
  const reference = body.externalPaymentReference.id;

  // A cancelation that someone left unfinished is carried to its end: it excludes capture (D17).
  const payment =
    found.work?.kind === 'cancel' ? yield* cancel(ports, found, causeOf(found.work)) : found;
  if (payment.state === 'captured')
    return yield* answerCaptured(run, use, isNew, payment, reference);
  if (payment.state === 'canceled') {
    if (isOther(payment, reference)) return yield* err(foreign());
    return yield* await refuseCanceled(run, use, canceled(payment), claimed?.resourceId);
  }
  yield* notHeld(ports, payment);

  const seen = yield* readPresented(ports, payment, reference);
  if (seen.status === 'captured') {
    const noted = yield* await writeSeen(ports, payment, seen, 'capture', claim);
    ports.background(() => releaseOthers(ports, payment.appointment.id));
    return viewPayment(noted);
  }
  const capturable = await resultOf(checkPresented(ports, payment, seen));
  if (capturable.isErr()) {
    return yield* await refuse(run, use, claimed?.resourceId, capturable.error);
  }

  const reserved = yield* reserve(ports, payment, seen, claim);
  const captured = await resultOf(finishCapture(ports, reserved, seen));
  if (captured.isErr()) return yield* await refuse(run, use, payment.id, captured.error);
  ports.background(() => releaseOthers(ports, payment.appointment.id));
  return viewPayment(captured.value);
}

/** Whether the reference is not the payment's, as far as that is known. */
function isOther({ reference }: Payment, given: string): boolean {
  return reference !== undefined && reference !== given;
}

/** Capturing a captured payment with its own reference is answered as it was the first time. */
async function* answerCaptured(
  { ports, call }: Run,
  use: KeyUse,
  isNew: boolean,
  payment: Payment,
  reference: string,
): Steps<ContactlessPayment, Fault<'unprocessableEntity'> | StoreConflict | StoreUnavailable> {
  if (isOther(payment, reference)) return yield* err(foreign());
  if (isNew) yield* await commit(ports, [repeatKey(ports, use)]);
  else call.facts.replayed = true;
  return viewPayment(payment);
}

/** That a payment is canceled is final, and kept under the key; other reasons may pass (D21). */
async function refuse<E extends StepError>(
  run: Run,
  use: KeyUse,
  claimed: string | undefined,
  reason: E,
): Promise<
  Result<never, E | Problem<'contactlessPaymentCanceled'> | StoreConflict | StoreUnavailable>
> {
  return isFinal(reason) ? refuseCanceled(run, use, reason, claimed) : err(reason);
}

function isFinal(reason: StepError): reason is Fault<'contactlessPaymentCanceled'> {
  return 'type' in reason && reason.type === 'contactlessPaymentCanceled';
}

function refuseCanceled(
  run: Run,
  use: KeyUse,
  reason: Fault<'contactlessPaymentCanceled'>,
  claimed: string | undefined,
) {
  return storeProblem(run.ports, use, problemFor(run.ports, run.call, reason), claimed);
}
