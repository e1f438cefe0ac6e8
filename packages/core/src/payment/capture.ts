import { isRecordOf, notFound, requireBarber } from '../frame/access.ts';
import { commit } from '../frame/commit.ts';
import {
  type Claim,
  claimKey,
  judgeKey,
  type KeyUse,
  keyUse,
  repeatKey,
  storeProblem,
} from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { problemFor, type Run, withoutDeadline } from '../frame/perform.ts';
import { keyRetentionMs } from '../frame/record.ts';
import type { Appointment } from '../host/host.ts';
import type { Ports } from '../ports/ports.ts';
import { foreignReference, type ProcessorError } from '../ports/processor.ts';
import type { Change, Read, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import type { EpochMs } from '../values/time.ts';
import { cancel, cancelHeld, causeOf, hasEnded, releaseOthers, releasePartial } from './cancel.ts';
import {
  ask,
  carry,
  handleOf,
  type LeftUnknown,
  leftUnknown,
  needsNewKey,
  notHeld,
  processorKey,
  readAtProcessor,
  timeOf,
  type Written,
} from './carry.ts';
import { type Dues, type Released, undueVisit } from './dues.ts';
import {
  canceled,
  cannotRead,
  didNotSay,
  foreign,
  forgotten,
  notCapturable,
  notProcessed,
  notSetUp,
  type ProcessorFault,
  running,
} from './faults.ts';
import {
  findContactlessPayment,
  isCaptured,
  paymentMayBe,
  readAppointment,
  readDuesRestored,
  releaseUndue,
  requireBarberOf,
} from './find.ts';
import { type BooksStep, dueAt, followBooks, isOverdue, isPartial } from './follow.ts';
import {
  isErased,
  isFinal,
  keysKeptUntil,
  type Payment,
  type PaymentAtWork,
  type ProcessorPayment,
  repeated,
} from './payment.ts';
import { reserve } from './reserving.ts';
import { checkRestored } from './restored.ts';
import {
  type CaptureContactlessPaymentBody,
  type ContactlessPayment,
  captureContactlessPaymentBody,
  contactlessPaymentSchema,
  contactlessPaymentShapes,
  viewPayment,
} from './wire.ts';
import { holdPayment, letGo, touchPayment, writeBooks, writeSeen } from './write.ts';

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
type CaptureResult<T = ContactlessPayment> = Promise<Result<T, CaptureError>>;

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
  captureContactlessPayment: operation({
    ids: ['contactlessPaymentId'],
    limit: 'writes',
    problems: captureProblems,
    group: 'Contactless payments',
    summary: 'Captures a card payment that the processor has authorized',
    description:
      'Send it when the SDK has processed the card, with the reference that the SDK returned. An appointment is never charged twice: a capture beyond the remaining balance is a conflict. Capturing a captured payment again returns the payment.',
    idempotencyKey: 'required',
    mayBeApplied: paymentMayBe(isCaptured),
    body: { ...captureContactlessPaymentBody, required: true },
    output: contactlessPaymentSchema,
    shapes: contactlessPaymentShapes,
  })(capture),
};

interface CaptureInput {
  readonly contactlessPaymentId: string;
  readonly idempotencyKey: string;
  readonly body: CaptureContactlessPaymentBody;
}

async function capture(
  run: Run,
  { contactlessPaymentId, idempotencyKey, body }: CaptureInput,
): CaptureResult {
  const { ports, auth, call } = run;
  const barber = requireBarber(auth);
  if (barber.isErr()) return err(barber.error);
  if (!canBeId(contactlessPaymentId)) return err(notFound('payment'));

  const use = keyUse(run, idempotencyKey, contactlessPaymentId, body);
  const { appointments, keys } = ports.store;
  // All reads of a step begin in one turn, and async functions come last (D71).
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

  const { work } = found;
  // A cancelation that was interrupted is finished, because it excludes capture (D17).
  const carried = work?.kind === 'cancel' ? await cancel(ports, found, causeOf(work)) : ok(found);
  if (carried.isErr()) return err(carried.error);
  const payment = carried.value;
  const { reference } = payment;
  // Our marks can be copied to another entry, which must not end the payment of this one (D13, D16).
  if (reference !== undefined && reference !== request.reference) return err(foreign());
  if (isFinal(payment)) return answerFinal(run, request, payment);
  const free = notHeld(ports, payment);
  if (free.isErr()) return err(free.error);
  return captureOpen(run, request, payment, appointment);
}

interface CaptureRequest {
  readonly use: KeyUse;
  readonly claim: Claim | undefined;
  readonly reference: string;
}

/**
 * Captures a payment that has no unfinished work and is not final.
 * @param appointmentRead its appointment, if the store has read it with the payment. A host that keeps
 * appointments elsewhere is asked for it while the processor is read.
 */
async function captureOpen(
  run: Run,
  request: CaptureRequest,
  payment: Payment,
  appointmentRead: Awaited<Read<Appointment | undefined>> | undefined,
): CaptureResult {
  const { ports } = run;
  const { use, claim } = request;
  const claiming = claim === undefined ? [claimKey(use, payment.id)] : [];
  const { id } = payment.appointment;
  const [read, appointment] = await Promise.all([
    readPresented(ports, payment, request.reference),
    isRecordOf(id, appointmentRead) ? appointmentRead : readAppointment(ports, id),
  ]);
  if (read.isErr()) return err(read.error);
  const seen = read.value;
  if (seen.status === 'captured') {
    const recorded = await writeSeen(ports, payment, seen, 'capture', claiming);
    return recorded.map((captured) => answerCaptured(ports, captured));
  }
  const capturable = await requireCapturable(ports, payment, seen);
  // The payment of a claimed key is reserved, which is never refused here.
  if (capturable.isErr()) return refuseCapture(run, use, false, capturable.error);

  const restored = await checkRestored(ports, payment.account);
  if (restored.isErr()) return err(restored.error);
  const reserved = await reserve(ports, payment, capturable.value, appointment, claiming);
  if (reserved.isErr()) return err(reserved.error);
  const captured = await finishCapture(ports, reserved.value, seen);
  if (captured.isErr()) return refuseCapture(run, use, true, captured.error);
  return ok(answerCaptured(ports, captured.value));
}

function answerCaptured(ports: Ports, payment: Payment): ContactlessPayment {
  const others = (payment.shares ?? []).map(({ appointmentId }) => appointmentId);
  for (const visit of new Set([payment.appointment.id, ...others])) {
    ports.background(() => releaseOthers(withoutDeadline(ports), visit));
  }
  return viewPayment(payment);
}

/** Returns a captured payment again, or refuses because it is canceled. */
async function answerFinal(
  run: Run,
  { use, claim }: CaptureRequest,
  payment: Payment,
): CaptureResult {
  if (payment.state === 'canceled') {
    return refuseCapture(run, use, claim !== undefined, canceled(payment));
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
  isClaimed: boolean,
  reason: CaptureFault | StoreConflict | StoreUnavailable,
): CaptureResult<never> {
  const isKept = 'type' in reason && reason.type === 'contactlessPaymentCanceled';
  return isKept
    ? storeProblem(ports, use, problemFor(ports, call, reason), isClaimed)
    : Promise.resolve(err(reason));
}

/**
 * Reads the processor's entry. The processor decides which payment the reference belongs to.
 */
async function readPresented(
  ports: Ports,
  payment: Payment,
  reference: string,
): Promise<Result<ProcessorPayment, ProcessorFault>> {
  const read = await readAtProcessor(ports, payment, reference);
  if (read.isErr()) return err(unread(read.error, payment));
  return read.value === undefined ? err(notProcessed()) : ok(read.value);
}

function unread(error: ProcessorError, { reserved }: Payment): ProcessorFault {
  switch (error.kind) {
    case 'notSetUp':
      return notSetUp();
    case 'rejected':
      // Other rejections do not show whose reference it is.
      if (error.reason !== foreignReference) return cannotRead();
      // A capture may have been sent, and the processor has lost its records.
      return reserved ? forgotten() : foreign();
    default:
      return cannotRead();
  }
}

type CheckResult = Written<BooksStep, RefusalFault | Fault<'serviceUnavailable'>>;

/**
 * Returns the payment updated from the book entry, if it can be captured. Otherwise it records the entry
 * and returns the reason. An overdue payment is canceled.
 */
async function requireCapturable(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
): CheckResult {
  // A cancelation would decide by the same time, and keep what only this node's clock calls overdue.
  const now = ports.clock.now();
  const time = await timeOf(ports, seen, dueAt(payment, seen, now));
  if (time.isErr()) return err(time.error);
  const decided = decidePresented(payment, seen, now, time.value);
  switch (decided.next) {
    case 'capture':
      return ok(decided.followed);
    case 'release':
      return releasePresented(ports, payment, seen, decided.cause);
    case 'refuse': {
      const { followed } = decided;
      if (followed.passed.length > 0) {
        const written = await writeBooks(ports, payment, () => followed);
        if (written.isErr()) return err(written.error);
      }
      return err(decided.fault);
    }
  }
}

async function releasePresented(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
  cause: 'partiallyAuthorized' | 'expired' | 'differsAtProcessor',
): CheckResult {
  switch (cause) {
    case 'expired': {
      const ended = await cancel(ports, payment, cause);
      return ended.andThen((after) =>
        err(after.state === 'canceled' ? canceled(after) : running()),
      );
    }
    case 'partiallyAuthorized': {
      // If this fails, `reconcile` releases it.
      const released = await releasePartial(ports, payment, seen);
      const state = released.isOk() ? released.value.state : 'failed';
      return err(state === 'captured' ? running() : partlyApproved(state === 'canceled'));
    }
    case 'differsAtProcessor':
      return releaseUndue({ why: cause }, (why) => cancel(ports, payment, why));
  }
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

type RefusalFault = FaultOf<
  'conflict' | 'contactlessPaymentCanceled' | 'contactlessPaymentDeclined'
>;

/** The consequence of a book entry for a capture that was not sent yet. */
type PresentedNext =
  | { readonly next: 'capture'; readonly followed: BooksStep }
  | {
      readonly next: 'release';
      readonly cause: 'partiallyAuthorized' | 'expired' | 'differsAtProcessor';
    }
  | { readonly next: 'refuse'; readonly followed: BooksStep; readonly fault: RefusalFault };

/**
 * Decides whether a payment can be captured now, from the processor's entry.
 * @param at the time by which its age is measured.
 */
export function decidePresented(
  payment: Payment,
  seen: ProcessorPayment,
  now: EpochMs,
  at: EpochMs,
): PresentedNext {
  const followed = followBooks(payment, seen, now, 'capture');
  // A capture may have been sent already; then only its own end counts (D13).
  if (payment.reserved) return { next: 'capture', followed };
  if (isPartial(payment, seen)) return { next: 'release', cause: 'partiallyAuthorized' };
  const isOver = followed.payment.state === 'canceled';
  if (!isOver && isOverdue(payment, seen, at)) {
    return { next: 'release', cause: 'expired' };
  }
  // It can never be captured, so its hold would only keep the customer's money.
  if (!isOver && !isSame(payment, seen)) return { next: 'release', cause: 'differsAtProcessor' };
  return seen.status === 'authorized'
    ? { next: 'capture', followed }
    : { next: 'refuse', followed, fault: notCapturable(payment, seen) };
}

/** Whether the processor would charge what the payment says. */
function isSame(payment: Payment, seen: ProcessorPayment): boolean {
  const { amountMinor, currency, account, applicationFeeMinor = 0n, tipMinor = 0n } = payment;
  return (
    seen.amountMinor === amountMinor &&
    seen.currency === currency &&
    seen.account === account &&
    // A processor that shows no fees takes none, so there is nothing to compare.
    (seen.applicationFeeMinor ?? applicationFeeMinor) === applicationFeeMinor &&
    // A tip that a reader added was not agreed with this service (D48).
    (seen.tipMinor ?? tipMinor) === tipMinor
  );
}

/**
 * Stores a new key for a payment that another key has already captured. The response contains the
 * payment's secret, so the payment keeps its secret as long as this key (D21, D55).
 */
function repeatedCapture(ports: Ports, use: KeyUse, payment: Payment): readonly Change[] {
  if (isErased(payment)) return [repeatKey(ports, use)];
  const at = ports.clock.now();
  const forgetAt = at + keyRetentionMs;
  const claim = claimKey(use, payment.id);
  if (keysKeptUntil(payment) >= forgetAt) return [claim];
  // The version excludes that the secret has just been erased.
  return [claim, ...touchPayment(ports, payment, at, 'capture', [], repeated).changes];
}

export type CaptureFault = FaultOf<
  | 'conflict'
  | 'contactlessPaymentCanceled'
  | 'contactlessPaymentDeclined'
  | 'paymentProviderNotSetup'
  | 'serviceUnavailable'
>;
type FinishResult = Written<Payment, CaptureFault>;

/**
 * Finishes a capture that this call holds: compares the amount due, sends the request, decides,
 * commits.
 * @param entry the processor's entry, read just before.
 */
export async function finishCapture(
  ports: Ports,
  payment: PaymentAtWork,
  entry: ProcessorPayment,
): FinishResult {
  if (entry.status === 'failed') {
    // Its capture has failed. Until the payment is canceled, the reservation blocks every other one.
    const ended = await cancelHeld(ports, payment, 'declined');
    return ended.andThen((after) =>
      after.state === 'captured' ? ok(after) : err(canceled(after)),
    );
  }
  const known: CaptureFacts = { before: entry };
  return carry(ports, payment, known, {
    decide: decideCapture,
    steps: {
      compare: async (held) => ({ dues: await readDuesRestored(ports, held) }),
      send: async (held) => ({ sent: await sendCapture(ports, held) }),
      readAfter: async (held) => ({ after: await readAtProcessor(ports, held) }),
    },
    // The comparison must directly precede the request. If it took longer than the lease, another holder may send too,
    // under the same key at the processor, and the fence keeps one of them from writing (D20).
    direct: 'send',
    hold: holdPayment,
    end: (held, end) =>
      end.next === 'release'
        ? releaseUndue(end, (cause) => cancelHeld(ports, held, cause))
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

async function endCapture(ports: Ports, payment: PaymentAtWork, end: CaptureEnd): FinishResult {
  if (end.next === 'record') {
    const written = await writeSeen(ports, payment, end.seen, 'capture');
    return end.seen.status === 'captured' ? written : written.andThen(() => err(canceled(payment)));
  }
  const { outcome, fault, needsNewKey } = whyLetGo(payment, end);
  const written = await letGo(ports, payment, outcome, needsNewKey);
  return written.andThen(() => err(fault));
}

interface LetGo {
  /** The outcome for the timeline. */
  readonly outcome: string;
  readonly fault: CaptureFault;
  readonly needsNewKey?: boolean;
}

function whyLetGo(payment: Payment, end: Exclude<CaptureEnd, { next: 'record' }>): LetGo {
  switch (end.next) {
    case 'turnBack':
      return { outcome: `found ${end.seen.status}`, fault: notCapturable(payment, end.seen) };
    case 'notSetUp':
      return { outcome: 'refused', fault: notSetUp(), needsNewKey: end.needsNewKey };
    case 'unread':
      return {
        outcome: 'unread',
        fault: unavailable('The appointment cannot be read.', 'unknown'),
      };
    case 'unknown':
      return {
        outcome: 'unknown',
        fault: didNotSay('it captured it'),
        needsNewKey: end.needsNewKey,
      };
  }
}

/** The facts known while a reserved payment is being captured. */
interface CaptureFacts {
  /** The processor's entry, read just before. */
  readonly before: ProcessorPayment;
  /** The amount due, once read after the reservation. */
  readonly dues?: Result<Dues, unknown> | undefined;
  /** The reply to the capture request, once sent. */
  readonly sent?: Result<ProcessorPayment, ProcessorError> | undefined;
  /** The processor's entry after a failed request, once read. */
  readonly after?: Result<ProcessorPayment | undefined, unknown> | undefined;
}

type CaptureEnd =
  /** The processor shows it captured or canceled: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorPayment }
  /** It is no longer authorized, and neither captured nor canceled. */
  | { readonly next: 'turnBack'; readonly seen: ProcessorPayment }
  /** No request was sent. */
  | { readonly next: 'unread' }
  /** The account was refused, and nothing shows that the request was applied all the same. */
  | { readonly next: 'notSetUp'; readonly needsNewKey: boolean }
  | LeftUnknown;

type CaptureNext =
  | CaptureEnd
  | { readonly next: 'compare' | 'send' | 'readAfter' }
  | ({ readonly next: 'release' } & Released);

/**
 * Decides the next step for a payment whose amount is reserved (D13, D16). From here on a capture
 * request may have been sent, so the reservation stays until the processor shows the payment
 * captured or canceled. The amount due is compared once per call, before the request is sent.
 */
export function decideCapture(
  payment: Payment,
  { before, dues, sent, after }: CaptureFacts,
): CaptureNext {
  if (before.status !== 'authorized') return endAt(before, payment);
  if (dues === undefined) return { next: 'compare' };
  if (dues.isErr()) return { next: 'unread' };
  const undue = undueVisit(payment, dues.value);
  if (undue !== undefined) return { next: 'release', ...undue };
  if (!isSame(payment, before)) return { next: 'release', why: 'differsAtProcessor' };
  if (sent === undefined) return { next: 'send' };
  if (sent.isOk()) {
    return sent.value.status === 'authorized' ? leftUnknown() : endAt(sent.value, payment);
  }
  if (after === undefined) return { next: 'readAfter' };
  const { error } = sent;
  if (after.isErr() || after.value === undefined) return leftUncaptured(error, false);
  return after.value.status === 'authorized'
    ? leftUncaptured(error, needsNewKey(error))
    : endAt(after.value, payment);
}

/** The owner can mend the account, so an app is told of it, although an earlier request may still arrive. */
function leftUncaptured(error: ProcessorError, needsNewKey: boolean): CaptureEnd {
  return error.kind === 'notSetUp' ? { next: 'notSetUp', needsNewKey } : leftUnknown(needsNewKey);
}

function endAt(seen: ProcessorPayment, { reserved }: Payment): CaptureEnd {
  if (hasEnded(seen)) return { next: 'record', seen };
  // An adapter should show `authorized` while a capture is in flight. This is no proof of its end.
  if (seen.status === 'processing' && reserved) return leftUnknown();
  return { next: 'turnBack', seen };
}
