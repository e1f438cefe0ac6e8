import { sha256Hex, typeId } from '../values/text.ts';
import type { EpochMs } from '../values/time.ts';

export const reviewOutcomes = ['tookPlace', 'didNotTakePlace', 'noted'] as const;
/** What a person says of a payment, a charge or a refund. `noted` changes nothing. */
export type ReviewOutcome = (typeof reviewOutcomes)[number];

/** One entry of the list of payments and payouts that need a person. */
export interface Review {
  readonly id: string;
  /** Rises by one with every change, from 1. */
  readonly version: number;
  readonly reason: ReviewReason;
  /** The processor account that the payment lives in. */
  readonly account: string;
  /** Our payment. For an orphan, the id in the processor's mark, which no stored payment has. */
  readonly paymentId?: string;
  /** The processor's id of the payment, if it is known, or of the payout. */
  readonly reference?: string;
  /**
   * Of a folded entry, which stands for several payments: at least so many. `openedAt` is then the time
   * of the newest payment that is counted.
   */
  readonly count?: number;
  readonly openedAt: EpochMs;
  /** Absent while the review is open. */
  readonly resolvedAt?: EpochMs;
  /** The note of the person who resolved it. */
  readonly note?: string;
  /** Absent if a person only noted something, or it ended by itself. */
  readonly outcome?: ReviewOutcome;
  /** Who resolved it, by the number of the person. */
  readonly resolvedBy?: number;
}

/** The maximum of open entries of one account and reason that a sweep makes, besides a folded one. */
export const maxReviewsOfCause = 20;

/** Reviews of one payment that are read. It never has so many. */
export const maxListedReviews = 1000;

/**
 * The id of a review, derived from its content. A finding that is repeated, after a crash for
 * example, makes one entry.
 * @param at orders the entries by time; the same finding always has the same time.
 */
export function reviewId(at: EpochMs, ...about: readonly (string | number)[]): string {
  const hash = sha256Hex(JSON.stringify(about));
  const bytes = Uint8Array.from({ length: 10 }, (_, index) =>
    Number.parseInt(hash.slice(2 * index, 2 * index + 2), 16),
  );
  return typeId('rev', at, bytes);
}

/** What a review means, and what a person should do. */
export interface ReviewAdvice {
  /** What happened. */
  readonly happened: string;
  /** What a person does about it. */
  readonly action: string;
}

const guide = {
  canceledHereCapturedThere: {
    happened: 'The processor took money for a payment that was canceled here.',
    action:
      'The payment counts as captured now. If the customer paid the visit in another way meanwhile, refund one of the two.',
  },
  capturedHereCanceledThere: {
    happened:
      "The processor took a capture back, and shows the payment as canceled, failed or authorized. One that only a person's word captured is canceled here too.",
    action:
      'No money was taken, so the visit may be unpaid. Resolve the review with didNotTakePlace if the payment is still captured here, and take the payment again.',
  },
  capturedAnotherAmount: {
    happened: 'The captured amount, or its currency, differs from the requested one.',
    action: 'Compare the two amounts. Refund the excess, or ask the customer for the rest.',
  },
  capturedBeyondDue: {
    happened:
      'Another system captured more than the appointment owed, or this one did before a restore.',
    action: 'Refund what is beyond the amount due, and find the system that captured it.',
  },
  unsettled: {
    happened: 'The outcome has been unknown for 72 hours.',
    action:
      'Look the payment up at the processor, or ask its support. Resolve the review with what you learn: tookPlace or didNotTakePlace.',
  },
  orphanCaptured: {
    happened: 'The processor took money for a payment with our mark that is not stored here.',
    action:
      'Find the visit by the time and the amount at the processor. Refund the payment there if the visit was paid in another way too.',
  },
  orphanNotCanceled: {
    happened: 'The processor has an open payment with our mark that could not be canceled.',
    action: "Cancel it at the processor, so that it does not hold the customer's money.",
  },
  orphanAuthorized: {
    happened:
      'A card is held for a payment with our mark that is not stored here: a database was lost, or this is a copy of one.',
    action:
      'Restored from a backup: start with restored. A copy: relabel it. Otherwise resolve the review with didNotTakePlace, which lets the card go.',
  },
  refundUnsettled: {
    happened:
      'The processor has not said for 72 hours whether it refunded; the amount stays reserved.',
    action:
      'Look the refund up at the processor, or ask its support. Resolve the review with what you learn: tookPlace or didNotTakePlace.',
  },
  refundWaits: {
    happened:
      'The processor has kept a refund pending for 72 hours, usually because the balance does not cover it.',
    action:
      'Add funds to the account at the processor, and tell the customer. It ends by itself. Only if the account is gone, resolve it with what the bank says: tookPlace or didNotTakePlace.',
  },
  refundedAnotherAmount: {
    happened: 'The processor refunded another amount than was asked for.',
    action: 'Compare the two amounts, and settle the difference with the customer.',
  },
  refundedHereFailedThere: {
    happened: 'A person said that a refund took place, and the processor shows that it did not.',
    action: 'The customer did not get the money. Refund it again, or give it back in cash.',
  },
  refundedAfterFailure: {
    happened: 'A refund that had failed here took place at the processor after all.',
    action:
      'If the customer got the money back in another way meanwhile, it went back twice: settle it with the customer.',
  },
  refundedTwice: {
    happened: 'The processor shows two refunds with one mark of ours.',
    action: 'The customer got the money twice. Settle it with the customer or with the processor.',
  },
  refundFailedAfterReversal: {
    happened:
      "A refund failed, and the transfer to the shop's account stays reversed: the platform has the amount.",
    action:
      'Refund the customer here again, which reverses nothing more. If the shop gives cash instead, or nothing goes back, transfer the amount to its account at the processor.',
  },
  givenBackTwice: {
    happened:
      'Refunds, cash and disputes together are more than the payment: the customer may get the money twice.',
    action:
      'Send the refund as evidence against the dispute before its deadline. If you refunded in the dashboard meanwhile, ask the processor whether it can be canceled; if you gave cash, ask the customer for it.',
  },
  fraudWarning: {
    happened:
      "The card's bank reported the payment as fraud. Most such payments are disputed later, which costs a fee.",
    action:
      'Refund it, unless you know the customer and the visit: a refund before the dispute usually prevents it. Keep the evidence of the visit otherwise.',
  },
  payoutFailed: {
    happened: 'A payout did not arrive: the money is in the account at the processor again.',
    action:
      'Correct the bank account at the processor, which may pay nothing out until then. A later payout pays the money again; if the processor names what it pays, that ends the review.',
  },
  unreadableAtProcessor: {
    happened:
      "The adapter cannot read a payment in the processor's list, or could not read its refunds for 72 hours.",
    action:
      'Look at the payment at the processor. Update the adapter, or report it to its authors. Once its refunds can be read, it ends by itself.',
  },
} satisfies Readonly<Record<string, ReviewAdvice>>;

/** Why a person should look at a payment or a payout. `unsettled` ends once the payment can be settled. */
export type ReviewReason = keyof typeof guide;
/** What each reason means and what to do. The operator's command and the guide both print this table. */
export const reviewGuide: Readonly<Record<ReviewReason, ReviewAdvice>> = guide;
// cast: the keys of an object that has exactly these
export const reviewReasons = Object.keys(guide) as ReviewReason[];
