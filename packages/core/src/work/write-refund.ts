import { commit } from '../call/commit.ts';
import type { DisputeEvent, RefundEvent } from '../domain/event.ts';
import { noted } from '../domain/follow-ledger.ts';
import { type FollowedRefund, followRefund } from '../domain/follow-refund.ts';
import { formatMoney } from '../domain/money.ts';
import { isOpened, type Payment } from '../domain/payment.ts';
import type { ProcessorRefund, Refund, RefundAtWork, RefundState } from '../domain/refund.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type ReviewReason, reviewId } from '../domain/review.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { orUnknown, type Running } from './faults.ts';
import { isRunningOut, renewed, takeOverFrom } from './lease.ts';
import { openReview } from './open-review.ts';

type Written<T, E = never> = Promise<Result<T, E | StoreConflict | StoreUnavailable>>;

/** Makes the event of a change, once the payment gives it a version. */
export type Tell = (frame: EventFrame, about: AboutPayment) => RefundEvent | DisputeEvent;
type EventFrame = Pick<RefundEvent, 'subject' | 'version' | 'occurredAt'>;
type AboutPayment = Pick<
  RefundEvent['data'],
  'contactlessPaymentId' | 'appointmentId' | 'businessId'
>;

/**
 * The payment after a change of its refunds or disputes. Each such change raises the payment's version:
 * a reservation names the version that it was decided by, so it never joins an unseen one (D44).
 * @param entry the line of the timeline; by default the events.
 */
export function touchPayment(
  payment: Payment,
  at: EpochMs,
  cause: string,
  tells: readonly Tell[],
  entry?: string,
): { readonly after: Payment; readonly changes: readonly Change[] } {
  const about = {
    contactlessPaymentId: payment.id,
    appointmentId: payment.appointment.id,
    businessId: payment.businessId,
  };
  const events = tells.map((tell, index) =>
    tell({ subject: payment.id, version: payment.version + 1 + index, occurredAt: at }, about),
  );
  const told = events.map(({ type }) => type.replace('contactlessPayment.', ''));
  const after = {
    ...payment,
    version: payment.version + Math.max(1, events.length),
    timeline: (entry === undefined ? told : [entry]).reduce(
      (timeline, what) => noted(timeline, { at, what, cause }),
      payment.timeline,
    ),
  };
  return {
    after,
    changes: [
      { kind: 'updatePayment', payment: after, expectedVersion: payment.version },
      ...events.map((event): Change => ({ kind: 'appendEvent', event })),
    ],
  };
}

const types = {
  pending: 'contactlessPayment.refundPending',
  succeeded: 'contactlessPayment.refunded',
  failed: 'contactlessPayment.refundFailed',
  canceled: 'contactlessPayment.refundCanceled',
} as const satisfies Readonly<Record<RefundState, RefundEvent['type']>>;

/** The event of a refund that has reached its state. */
export function toldOfRefund(refund: Refund): Tell {
  const { id, amountMinor, currency, state, origin, reason, failure, reference } = refund;
  return (frame, about) => ({
    ...frame,
    type: types[state],
    data: {
      ...about,
      refundId: id,
      amount: formatMoney(amountMinor),
      currency,
      state,
      origin,
      ...(reason !== undefined && { reason }),
      ...(failure !== undefined && { failure }),
      ...(reference !== undefined && { processorReference: reference }),
    },
  });
}

/** The entry in the list of reviews that a refund needs. */
export function reviewRefund(refund: Refund, reason: ReviewReason, at: EpochMs): readonly Change[] {
  const { id, account, paymentId, reference, version } = refund;
  return openReview({
    id: reviewId(at, id, reason, version),
    reason,
    account,
    paymentId,
    ...(reference !== undefined && { reference }),
    openedAt: at,
  });
}

/** What is written where the processor's list shows a refund otherwise. */
export function followingChanges(
  before: Refund,
  { refund, review }: FollowedRefund,
  at: EpochMs,
): readonly Change[] {
  return [
    { kind: 'updateRefund', refund, expectedVersion: before.version },
    ...(review === undefined ? [] : reviewRefund(refund, review, at)),
    ...(before.work === undefined ? [] : settledReview(before, at)),
  ];
}

/** Ends the review of a refund that nobody could settle. */
function settledReview({ paymentId }: Refund, resolvedAt: EpochMs): readonly Change[] {
  const note = 'The refund could be settled after all.';
  const reason = 'refundUnsettled' satisfies ReviewReason;
  return [{ kind: 'resolvePaymentReviews', paymentId, reason, resolvedAt, note }];
}

/** How often a write is tried again when only something unrelated came in between. */
const maxTries = 8;

/** Writes where the processor shows a refund that this call holds, and tells the host. */
export async function recordRefund(
  ports: Ports,
  refund: RefundAtWork,
  seen: ProcessorRefund,
  cause: string,
): Written<Refund> {
  for (let tries = 1; ; tries += 1) {
    const at = ports.clock.now();
    const followed = followRefund(refund, seen, at) ?? { refund };
    const told = followed.passed === undefined ? [] : [toldOfRefund(followed.refund)];
    const changes = followingChanges(refund, followed, at);
    const written = await writeWithPayment(ports, refund.paymentId, changes, (payment) =>
      touchPayment(payment, at, cause, told),
    );
    if (written.isOk()) return ok(followed.refund);
    // Whoever changed the refund itself knows more: the caller looks again.
    if (!isStalePayment(written.error) || tries === maxTries) return err(written.error);
  }
}

function isStalePayment(error: StoreConflict | StoreUnavailable): boolean {
  return error.kind === 'storeConflict' && error.change === 'updatePayment';
}

/** Writes changes of a refund together with its payment, as the payment is stored now. */
export async function writeWithPayment(
  ports: Ports,
  paymentId: string,
  changes: readonly Change[],
  touch: (payment: Payment) => { readonly changes: readonly Change[] },
): Written<void> {
  const read = await ports.store.payments.get(paymentId);
  if (read.isErr()) return err(orUnknown<never>(read.error));
  const payment = read.value;
  if (payment === undefined || !isOpened(payment)) {
    return err({ kind: 'storeConflict', change: 'updateRefund' });
  }
  const written = await commit(ports, [...changes, ...touch(payment).changes]);
  return written.mapErr(orUnknown);
}

/** Writes a change of a refund that moves no money: its payment stays as it is. */
export async function writeRefund<R extends Refund>(
  ports: Ports,
  { version }: Refund,
  after: R,
  alongside: readonly Change[] = [],
): Written<R> {
  const refund = { ...after, version: version + 1 };
  const written = await commit(ports, [
    { kind: 'updateRefund', refund, expectedVersion: version },
    ...alongside,
  ]);
  return written.map(() => refund).mapErr(orUnknown);
}

/** Takes an interrupted refund over, unless its holder is alive: then 409 running (D19). */
export async function takeOverRefund(
  ports: Ports,
  refund: RefundAtWork,
): Written<RefundAtWork, Running> {
  const taken = takeOverFrom(ports, refund.work);
  if (taken.isErr()) return err(taken.error);
  const work = taken.value;
  return writeRefund(ports, refund, { ...refund, work, nextCheckAt: work.leaseUntil });
}

/** Keeps a refund held for one more processor call. */
export async function stillHeldRefund(ports: Ports, refund: RefundAtWork): Written<RefundAtWork> {
  if (!isRunningOut(ports, refund.work)) return ok(refund);
  const work = renewed(ports, refund.work);
  return writeRefund(ports, refund, { ...refund, work, nextCheckAt: work.leaseUntil });
}
