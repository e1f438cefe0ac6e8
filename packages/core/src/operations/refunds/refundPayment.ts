import { findPaymentOfBusiness } from '../../call/access.ts';
import { problemFor } from '../../call/call.ts';
import { commit } from '../../call/commit.ts';
import { claimKey, type KeyUse, keyUse, lookUpKey, storeProblem } from '../../call/idempotency.ts';
import type { Unvalidated } from '../../call/input.ts';
import { type ErrorOfSteps, operation, type Valid } from '../../call/operation.ts';
import type { Run } from '../../call/perform.ts';
import type { OpenedPayment, Payment } from '../../domain/payment.ts';
import { type Fault, fault } from '../../domain/problem.ts';
import { type Refund, type RefundAtWork, wasAcknowledged } from '../../domain/refund.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, type Steps } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import {
  type RefundPaymentBody,
  type RefundTippedPaymentBody,
  type RefundView,
  refundPaymentBodySchema,
  refundSchema,
  refundTippedPaymentBodySchema,
  type TippedRefundView,
  tippedRefundSchema,
} from '../../schemas/refund.ts';
import { refundedExample, refundShapes } from '../../schemas/shapes/refund.ts';
import { refundedTippedExample, tippedRefundShapes } from '../../schemas/shapes/tips.ts';
import { viewAcceptedRefund } from '../../schemas/views.ts';
import { claimWithdrawn, takeOver } from '../../work/carry.ts';
import { type RequestedAmount, requestedParts } from '../../work/dues/requested-amount.ts';
import { notSetUpOrUnread } from '../../work/faults.ts';
import { lease } from '../../work/lease.ts';
import { touchPayment } from '../../work/payment/payment-changes.ts';
import { decideRefundable } from '../../work/refunding/decide-refundable.ts';
import {
  listReturned,
  readReturned,
  recordReturned,
  toCaptured,
} from '../../work/refunding/follow-returned.ts';
import { finishRefunding, refundFailed } from '../../work/refunding/refunding.ts';
import { isAtWork } from '../../work/refunding/settle-refund.ts';
import { holdRefund } from '../../work/refunding/write-refund.ts';
import { onSharedTime } from '../../work/shared-time.ts';

export interface RefundPaymentInput {
  readonly contactlessPaymentId: string;
  /** 1 to 255 characters. The same key means the same refund (D19). */
  readonly idempotencyKey: string;
  /** Without an amount, the full refundable rest. */
  readonly body?: RefundPaymentBody | Unvalidated;
}

const refundProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'unprocessableEntity',
  'paymentProviderNotSetup',
] as const;
type RefundError = ErrorOfSteps<(typeof refundProblems)[number]>;

export const refundPayment = {
  /**
   * Refunds a captured payment, whole or in part: once for each key, and never more than was captured.
   * Without an `amount` it refunds all that is left. For the payment's business or an administrator (D44).
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same refund.
   *
   * @example
   * const refunded = await chairside.refundPayment(manager, {
   *   contactlessPaymentId: opened.id,
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { amount: '10.00', reason: 'The cut was too short' },
   * });
   * if (refunded.isOk()) console.log(refunded.value.id, refunded.value.state); // rfd_01h…, succeeded
   */
  refundPayment: operation<RefundPaymentInput, RefundView>()({
    limit: 'writes',
    problems: refundProblems,
    group: 'Refunds',
    summary: 'Refunds a captured payment, whole or in part',
    description:
      'Without an `amount` it refunds all that is left. Refunds never exceed what was captured. The same key returns the same refund, as it was first accepted.',
    idempotencyKey: 'required',
    body: { schema: refundPaymentBodySchema, required: false },
    output: refundSchema,
    example: refundedExample,
    shapes: refundShapes,
    run: steps,
  }),
};

export interface RefundTippedPaymentInput extends Omit<RefundPaymentInput, 'body'> {
  /** Without an amount, the full refundable rest. Without a tip, the tip goes back last. */
  readonly body?: RefundTippedPaymentBody | Unvalidated;
}

/** The same operation where tips are switched on (D48). */
export const refundTippedPayment = operation<RefundTippedPaymentInput, TippedRefundView>()({
  limit: 'writes',
  problems: refundProblems,
  group: 'Refunds',
  summary: 'Refunds a captured payment, whole or in part, with its tip or without',
  description:
    'Without an `amount` it refunds all that is left. Refunds never exceed what was captured. The tip goes back last, unless `tip` says how much of the refund is tip. The same key returns the same refund, as it was first accepted.',
  idempotencyKey: 'required',
  body: { schema: refundTippedPaymentBodySchema, required: false },
  output: tippedRefundSchema,
  example: refundedTippedExample,
  shapes: tippedRefundShapes,
  run: steps,
});

async function* steps(
  run: Run,
  { contactlessPaymentId, idempotencyKey, body }: Valid<RefundTippedPaymentInput>,
) {
  const { auth, call, begun } = run;
  const payment = yield* findPaymentOfBusiness(run.ports, auth, contactlessPaymentId);
  const use = keyUse(auth, 'refundPayment', idempotencyKey, payment.id, body);
  const claim = yield* await lookUpKey(run.ports, call, use, ['unprocessableEntity']);
  const requested = requestedParts(body);
  if (requested.isErr()) {
    return yield* await storeProblem(run.ports, use, problemFor(run.ports, call, requested.error));
  }
  const { refunds } = run.ports.processor;
  if (refunds === undefined) return yield* err(cannotRefund());
  // The age of the processor's key is measured by the shared clock (D42).
  const ports = yield* await onSharedTime(run.ports);
  // The key of an earlier run may be forgotten by now: the process was stopped for days, or a clock
  // was set. Without `begun`, this run would make a second refund.
  begun.id = claim?.resourceId ?? begun.id;
  const made =
    begun.id === undefined
      ? yield* beginRefund(ports, payment, use, requested.value, body.reason)
      : yield* resumeRefund({ ...run, ports }, begun.id);
  begun.id = made.id;
  const ended = isAtWork(made) ? yield* await finishRefunding(ports, refunds, payment, made) : made;
  return viewAcceptedRefund(ended);
}

function cannotRefund(): Fault<'paymentProviderNotSetup'> {
  return fault('paymentProviderNotSetup', 'The payment processor of the business cannot refund.');
}

/** Reserves the amount with the claim of the key, before the processor is called (D44). */
async function* beginRefund(
  ports: Ports,
  found: OpenedPayment,
  use: KeyUse,
  requested: RequestedAmount,
  reason: string | undefined,
): Steps<RefundAtWork, RefundError> {
  if (found.state !== 'captured') return yield* err(notCapturedYet());
  const before = yield* readReturned(ports, found);
  const there = yield* (await listReturned(ports, found)).mapErr(notSetUpOrUnread);
  const returned = yield* recordReturned(ports, before, there, 'refund');
  const { amountMinor, tipMinor } = yield* decideRefundable(toCaptured(returned), requested);
  const business = yield* await ports.store.businesses.get(found.businessId);
  const { returnsFee = false, reversesTransfer = true } = business?.refundPolicy ?? {};
  const { payment } = returned;
  const refund = newRefund(ports, payment, {
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(reason !== undefined && { reason }),
    // Only a payment with a fee can return one.
    returnsFee: returnsFee && payment.applicationFeeMinor !== undefined,
    reversesTransfer,
  });
  const { changes } = touchPayment(payment, refund.createdAt, 'refund', [], 'refunding');
  yield* await commit(ports, [
    claimKey(use, refund.id),
    { kind: 'insertRefund', refund },
    ...changes,
  ]);
  return refund;
}

function newRefund(
  ports: Ports,
  { id: paymentId, account, currency }: Payment,
  asked: Pick<Refund, 'amountMinor' | 'tipMinor' | 'reason' | 'returnsFee' | 'reversesTransfer'>,
): RefundAtWork {
  const at = ports.clock.now();
  const work = lease(ports, { kind: 'refund', fence: 1 });
  return {
    id: ports.ids.next('rfd'),
    paymentId,
    account,
    currency,
    ...asked,
    origin: 'here',
    state: 'pending',
    version: 1,
    createdAt: at,
    updatedAt: at,
    work,
    nextCheckAt: work.leaseUntil,
    checks: 0,
  };
}

/** Finds the refund of the key, or takes over its unfinished work (D20). */
async function* resumeRefund(
  { ports, call, begun }: Run,
  refundId: string,
): Steps<Refund, RefundError> {
  const refund = yield* await ports.store.refunds.get(refundId);
  if (refund === undefined) {
    begun.id = undefined;
    return yield* err(claimWithdrawn);
  }
  if (isAtWork(refund)) return yield* await takeOver(ports, refund, refund.work, holdRefund);
  if (!wasAcknowledged(refund)) return yield* err(refundFailed(refund));
  call.facts.replayed = true;
  return refund;
}

/** An authorization that was never captured is released, not refunded. */
function notCapturedYet(): Fault<'conflict'> {
  const detail =
    'Only a captured payment can be refunded; an authorized one is released by cancel.';
  return conflict('notCaptured', detail);
}
