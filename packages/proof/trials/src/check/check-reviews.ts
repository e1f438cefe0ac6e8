import type { ReviewView } from '@chairside/core';
import { wasUndue } from './check-takes.ts';
import type { Evidence, Expect, State } from './evidence.ts';
import { refundsLeft } from './readings.ts';

/** Each review has a reason, and is listed once until it is settled (D43). */
export function checkReviews(evidence: Evidence, state: State, expect: Expect): void {
  const { open, resolved } = state.reviews;
  const listed = [...open, ...resolved];
  for (const { id, reason, paymentId } of evidence.reviews) {
    const times = listed.filter((review) => review.id === id).length;
    expect(times === 1, 'review', () => `${reason} of ${paymentId} is listed ${times} times`);
  }
  // A payment may have several refunds that are not settled.
  const single = open.filter(({ reason }) => !/^refund(?:Unsettled|Waits)$/.test(reason));
  for (const [about, same] of Map.groupBy(single, aboutOf)) {
    expect(same.length === 1, 'review', () => `${about} is listed ${same.length} times`);
  }
  checkMarks(state, expect);
  checkWords(evidence, state, expect);
  for (const review of listed) {
    expect(
      hasReason(evidence, state, review),
      'review',
      () => `needs a person: ${aboutOf(review)}`,
    );
  }
  for (const { needReview } of evidence.reports) {
    // A folded entry names no payment.
    if (listed.some(isFolded)) continue;
    const missing = needReview.filter((id) => !listed.some((review) => isAbout(review, id)));
    expect(missing.length === 0, 'review', () => `reported, and not listed: ${missing}`);
  }
}

/** A word that the processor's books contradict has a review that says so (D201). */
function checkWords({ said }: Evidence, { entries, reviews }: State, expect: Expect): void {
  for (const [id, { outcome, of }] of said) {
    if (of !== 'payment') continue;
    const own = entries.filter(({ paymentId }) => paymentId === id);
    const isTaken = own.some(({ status }) => status === 'captured');
    if (own.length === 0 || isTaken === (outcome === 'tookPlace')) continue;
    const reason = isTaken ? 'canceledHereCapturedThere' : 'capturedHereCanceledThere';
    const isListed = reviews.open.some((one) => {
      return one.reason === reason && one.contactlessPaymentId === id;
    });
    expect(isListed, 'review', () => `${id} was said to be ${outcome}, and nothing says otherwise`);
  }
}

/** A payment's own mark and the list of reviews agree. */
function checkMarks({ payments, reviews }: State, expect: Expect): void {
  const marked = reviews.open.filter(
    ({ reason }) => !/^(orphan|refund|unreadable|given)/.test(reason),
  );
  const reasonOf = new Map(
    marked.map(({ contactlessPaymentId = '', reason }) => [contactlessPaymentId, reason]),
  );
  for (const { id, review } of payments) {
    expect(reasonOf.get(id) === review, 'review', () => {
      return `${id} needs a person: ${review}, and is listed: ${reasonOf.get(id)}`;
    });
  }
}

function aboutOf({ reason, contactlessPaymentId, processorReference }: ReviewView): string {
  return `${reason} of ${contactlessPaymentId} ${processorReference}`;
}

function isAbout(
  { id, contactlessPaymentId, processorReference }: ReviewView,
  reported: string,
): boolean {
  return [id, contactlessPaymentId, processorReference].includes(reported);
}

function hasReason(evidence: Evidence, state: State, review: ReviewView): boolean {
  const { reason, contactlessPaymentId: paymentId = '', resolvedAt } = review;
  if (isFolded(review)) return evidence.changedAtProcessor.size > maxReviewsOfCause;
  switch (reason) {
    // It ends by itself, once faults stop.
    case 'unsettled':
      return resolvedAt !== undefined;
    // So does this, if the faults did not outlast the life of the processor's key (D44).
    case 'refundUnsettled':
      return (
        resolvedAt !== undefined ||
        refundsLeft(evidence, state).some((refund) => refund.paymentId === paymentId)
      );
    // It ends with the refund.
    case 'refundWaits':
      return (
        resolvedAt !== undefined ||
        state.refunds.some((one) => one.paymentId === paymentId && one.state === 'pending')
      );
    // A capture of another system may be more than is owed.
    case 'capturedBeyondDue':
      return wasUndue(evidence, { id: paymentId }) || evidence.changedAtProcessor.has(paymentId);
    // A refused cancelation leaves it to a person.
    case 'orphanNotCanceled':
      return evidence.refusedCancels.has(paymentId);
    // A request that landed after its claim was withdrawn.
    case 'orphanAuthorized':
      return state.payments.every(({ id }) => id !== paymentId);
    // Neither the processor nor a person brings these about.
    case 'refundedAnotherAmount':
    case 'refundedTwice':
      return false;
    // While its account is closed, no message of a payment can be compared.
    case 'unreadableAtProcessor':
      return evidence.plan.actions.some(({ does }) => does === 'loseAccount');
    // Only a person's wrong word.
    case 'refundedAfterFailure':
    case 'refundedHereFailedThere':
      return evidence.said.get(paymentId)?.of === 'refund';
    // The customer's bank sent the money of a destination charge's refund back.
    case 'refundFailedAfterReversal':
      return state.entries.some(
        (entry) =>
          entry.paymentId === paymentId &&
          entry.refunds?.some((refund) => /^(?:failed|canceled)$/.test(refund.state)),
      );
    case 'givenBackTwice':
      return state.entries.some((one) => one.paymentId === paymentId && one.disputes?.length);
    // Only someone who acts at the processor brings these about.
    default:
      return evidence.changedAtProcessor.has(paymentId) || evidence.said.has(paymentId);
  }
}

/** Whether it stands for the payments beyond the bound of a cause. */
function isFolded({ count }: ReviewView): boolean {
  return count !== undefined;
}

const maxReviewsOfCause = 20;

/** An orphan that the processor refused to cancel is for a person (D51). */
export function isLeftToPerson({ reviews }: State, paymentId: string): boolean {
  return reviews.open.some(({ reason, contactlessPaymentId }) => {
    const isOrphan = reason === 'orphanNotCanceled' || reason === 'orphanAuthorized';
    return isOrphan && contactlessPaymentId === paymentId;
  });
}
