import * as v from 'valibot';
import { actorOf, commit, eraseActor } from '../frame/commit.ts';
import { allIdsOf } from '../frame/facts.ts';
import { hostTask, parseInput } from '../frame/operation.ts';
import { keyRetentionMs } from '../frame/record.ts';
import { appointmentIdsSchema } from '../host/wire.ts';
import { isErased, maxListedPayments, noted, type Payment } from '../payment/payment.ts';
import { changeReview } from '../payment/reviews.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { writeRefund } from '../refund/carry-refund.ts';
import { maxListedRefunds, type Refund } from '../refund/refund.ts';
import { forgetSetup, readMethodUse } from '../setup/carry-setup.ts';
import type { MethodSetup } from '../setup/setup.ts';
import { maxListedShares, type ShareEntry } from '../share/share.ts';
import { maxListedTenders, type Tender } from '../tender/tender.ts';
import { maxListedReviews } from '../upkeep/review.ts';
import type { Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { anyTextSchema } from '../values/wire.ts';
import { readMovedPayments } from './whose.ts';

interface EraseCustomerInput {
  readonly customerId: string;
  /** The customer's appointments, which only the host knows; at most 100 per call. */
  readonly appointmentIds?: readonly string[] | undefined;
  /**
   * The `subject` under which the person has acted, as a barber for example. What they did stays
   * together under a name that names nobody.
   */
  readonly subject?: string | undefined;
  /** Who erases it, for the timelines of the payments: 1 to 255 characters. */
  readonly by?: string | undefined;
}

/** The result of an erasure. */
export interface ErasedCustomer {
  /** The customer, and all that were merged into it: all of them were erased. */
  readonly customerIds: readonly string[];
  /** Payments whose card was erased in this call. */
  readonly payments: number;
  /** Setups that were deleted in this call. */
  readonly setups: number;
  /**
   * Payments, refunds, tenders and setups that are still open, or whose keys are still kept. Upkeep ends
   * them within days: call again later. Reviews that are open, because a person has yet to write their
   * notes. An appointment with more than 32,000 payments is named too, because only its newest 32,000 were
   * erased.
   */
  readonly pending: readonly string[];
}

/** The payments of an appointment are read in lists that double, up to this length. */
const maxErasedPayments = 32 * maxListedPayments;
/** Read at a time; the rest follows once these are deleted. */
const maxSetups = 1000;
const name = v.optional(v.pipe(v.string(), v.check(canBeId, '1 to 255 characters')));
const inputSchema = v.strictObject({
  customerId: anyTextSchema,
  subject: name,
  by: name,
  appointmentIds: appointmentIdsSchema,
});

export const customerErasure = {
  /**
   * Erases a customer's personal data: the cards of ended payments, the reasons of their refunds, the
   * notes of their reviews and of tenders, and finished setups. Amounts, states and ids stay. Call
   * again later while `pending` names something.
   *
   * @example
   * const erased = await chairside.eraseCustomer({
   *   customerId: 'customer_1',
   *   appointmentIds: ['haircut'],
   * });
   */
  eraseCustomer: hostTask<[input: EraseCustomerInput], ErasedCustomer>()({
    problems: ['badRequest'],
    async *task(run, input) {
      const {
        customerId,
        appointmentIds: given,
        subject,
        by,
      } = yield* parseInput(inputSchema, { ...input });
      const ports = by === undefined ? run.ports : { ...run.ports, acting: { subject: by } };
      const customerIds = yield* allIdsOf(ports.store, customerId);
      const appointmentIds = new Set(given);
      const person = { customerIds, appointmentIds };
      const pending: string[] = [];
      const entries: ShareEntry[] = [];
      let payments = 0;
      for (const appointmentId of appointmentIds) {
        const erased = yield* erasePayments(ports, appointmentId);
        payments += erased.payments;
        pending.push(...erased.pending);
        const shares = yield* await ports.store.shares.listByAppointment(
          appointmentId,
          maxListedShares,
        );
        pending.push(...(yield* eraseNotes(ports, appointmentId, shares)));
        entries.push(...shares);
      }
      for (const payment of yield* readMovedPayments(ports.store, person, entries)) {
        const erased = yield* erasePayment(ports, payment);
        payments += erased.payments;
        pending.push(...erased.pending);
      }
      let setups = 0;
      for (const id of customerIds) {
        const erased = yield* eraseSetups(ports, id);
        setups += erased.erased;
        pending.push(...erased.pending);
      }
      if (subject !== undefined) yield* await eraseActor(ports, subject);
      return { customerIds, payments, setups, pending };
    },
  }),
};

type ErasedPayments = Pick<ErasedCustomer, 'payments' | 'pending'>;

/** Each list is twice as long as the one before. Its newer half is that list, which is erased already. */
async function* erasePayments(
  ports: Ports,
  appointmentId: string,
): Steps<ErasedPayments, StoreConflict | StoreUnavailable> {
  const pending: string[] = [];
  let payments = 0;
  let read = 0;
  for (let limit = maxListedPayments; ; limit *= 2) {
    const listed = yield* await ports.store.payments.listByAppointment(appointmentId, limit);
    for (const payment of listed.slice(0, listed.length - read)) {
      const erased = yield* erasePayment(ports, payment);
      payments += erased.payments;
      pending.push(...erased.pending);
    }
    read = listed.length;
    if (read < limit) return { payments, pending };
    if (limit === maxErasedPayments) return { payments, pending: [...pending, appointmentId] };
  }
}

/** Erases the card of a payment, the reasons of its refunds and the notes of its reviews. */
async function* erasePayment(
  ports: Ports,
  payment: Payment,
): Steps<ErasedPayments, StoreConflict | StoreUnavailable> {
  const isSettled = isErased(payment);
  const hasCard = isSettled && payment.card !== undefined;
  if (hasCard) yield* eraseCard(ports, payment);
  const reasons = yield* eraseReasons(ports, payment);
  const notes = yield* eraseReviewNotes(ports, payment);
  return {
    payments: hasCard ? 1 : 0,
    pending: [...(isSettled ? [] : [payment.id]), ...reasons, ...notes],
  };
}

/** Repeats until only unfinished setups are left. A customer can have thousands. */
async function* eraseSetups(
  ports: Ports,
  customerId: string,
): Steps<
  { readonly erased: number; readonly pending: readonly string[] },
  StoreConflict | StoreUnavailable
> {
  for (let erased = 0; ; ) {
    const listed = yield* await ports.store.setups.listByCustomer(customerId, maxSetups);
    const finished: MethodSetup[] = [];
    for (const setup of listed.filter(isFinished)) {
      // A charge under way ends first.
      if ((yield* readMethodUse(ports, setup)) !== 'underWay') finished.push(setup);
    }
    if (finished.length === 0) return { erased, pending: listed.map(({ id }) => id) };
    for (const setup of finished) yield* await forgetSetup(ports, setup);
    erased += finished.length;
  }
}

/** Whether it is decided, or was closed before the processor opened it. */
function isFinished({ outcome, work, clientSecret }: MethodSetup): boolean {
  return outcome !== undefined || (work === undefined && clientSecret === undefined);
}

async function* eraseCard(
  ports: Ports,
  payment: Payment,
): Steps<void, StoreConflict | StoreUnavailable> {
  const { card: _card, ...rest } = payment;
  const { version } = payment;
  const by = yield* await actorOf(ports);
  const line = { at: ports.clock.now(), what: 'erased', cause: 'erasure', ...by };
  const timeline = noted(payment.timeline, line);
  yield* await commit(ports, [
    {
      kind: 'updatePayment',
      payment: { ...rest, version: version + 1, timeline },
      expectedVersion: version,
    },
  ]);
}

/**
 * Erases the reasons of a payment's refunds, which are free text. Refunds with a reason are made
 * here, and none is made once the list is full, so all of them are listed.
 * @returns the ids of refunds that are still open, or whose keys would replay the reason.
 */
async function* eraseReasons(
  ports: Ports,
  { id }: Payment,
): Steps<readonly string[], StoreConflict | StoreUnavailable> {
  const refunds = yield* await ports.store.refunds.listByPayment(id, maxListedRefunds);
  const withReason = refunds.filter(({ reason }) => reason !== undefined);
  for (const refund of withReason.filter(isClosed)) {
    const { reason: _reason, ...rest } = refund;
    yield* await writeRefund(ports, refund, rest);
  }
  return withReason.filter((refund) => !isClosed(refund)).map((refund) => refund.id);
}

/**
 * Erases the notes of a payment's reviews, which are free text.
 * @returns the ids of open reviews: their notes are yet to come.
 */
async function* eraseReviewNotes(
  ports: Ports,
  { id: paymentId }: Payment,
): Steps<readonly string[], StoreConflict | StoreUnavailable> {
  const reviews = yield* await ports.store.reviews.listByPayment(paymentId, maxListedReviews);
  const noted = reviews.filter(({ note }) => note !== undefined);
  if (noted.length > 0) {
    yield* await commit(
      ports,
      noted.map(({ note: _note, ...review }) => changeReview(review, {})),
    );
  }
  return reviews.flatMap(({ id, resolvedAt }) => (resolvedAt === undefined ? [id] : []));
}

/**
 * Erases the notes of an appointment's tenders and shares, which are free text.
 * @returns the ids of those whose keys would still replay the note.
 */
async function* eraseNotes(
  ports: Ports,
  appointmentId: string,
  shares: readonly ShareEntry[],
): Steps<readonly string[], StoreConflict | StoreUnavailable> {
  const tenders = yield* await ports.store.tenders.listByAppointment(
    appointmentId,
    maxListedTenders,
  );
  const isWhole = tenders.length < maxListedTenders && shares.length < maxListedShares;
  const pending = isWhole ? [] : [appointmentId];
  const isReplayed = ({ at }: Tender | ShareEntry) => at + keyRetentionMs > ports.clock.now();
  for (const { note, ...rest } of tenders) {
    if (note === undefined) continue;
    const tender = { ...rest, version: rest.version + 1 };
    if (isReplayed(tender)) pending.push(tender.id);
    else
      yield* await commit(ports, [{ kind: 'updateTender', tender, expectedVersion: rest.version }]);
  }
  // The note stands with the first entry of its act, which may be another visit's.
  for (const actId of new Set(shares.map((entry) => entry.actId))) {
    const first = yield* await ports.store.shares.get(actId);
    if (first?.note === undefined) continue;
    const { note: _note, ...rest } = first;
    const share = { ...rest, version: rest.version + 1 };
    if (isReplayed(share)) pending.push(share.id);
    else
      yield* await commit(ports, [{ kind: 'updateShare', share, expectedVersion: rest.version }]);
  }
  return pending;
}

/** Upkeep checks a refund until its keys are deleted. */
function isClosed({ nextCheckAt }: Refund): boolean {
  return nextCheckAt === undefined;
}
