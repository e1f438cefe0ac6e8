import type { EpochMs } from '../values/time.ts';

export const settlementKinds = ['payment', 'refund', 'dispute'] as const;
/** The act that changed the balance. A returned refund or a won dispute has a positive amount. */
export type SettlementKind = (typeof settlementKinds)[number];

/**
 * One change of an account's balance at the processor, for a payment of ours. The processor never
 * changes it.
 */
export interface SettlementEntry {
  /** Unique among all books: made from the books and the processor's id. */
  readonly id: string;
  readonly account: string;
  /** Absent while the payment has no record here. */
  readonly businessId?: string;
  readonly paymentId: string;
  readonly kind: SettlementKind;
  /** The processor's id of the payment, refund or dispute. */
  readonly subject: string;
  readonly currency: string;
  /** Before fees. Negative for money that leaves the shop. */
  readonly amountMinor: bigint;
  /** The fee that the processor keeps; negative for a fee that it returns. */
  readonly processorFeeMinor: bigint;
  /** The platform's fee, with the same signs. */
  readonly applicationFeeMinor: bigint;
  /**
   * The part of the amount, with its sign, that the platform bears or gets, where it was charged in the shop's
   * place: a dispute for example, which leaves the shop its transfer. Absent: none.
   */
  readonly platformMinor?: bigint;
  readonly at: EpochMs;
  /** Our id of the payout that contains it, once that is known. */
  readonly payoutId?: string;
}

export const payoutStates = ['pending', 'paid', 'failed', 'canceled', 'reversed'] as const;
/** `paid` at the processor may still fail days later. `reversed`: a person took it back from the bank. */
export type PayoutState = (typeof payoutStates)[number];

/** A payout of an account's balance to a bank, and how far its entries were read. */
export interface Payout {
  /** Unique among all books: made from the books and the processor's id. */
  readonly id: string;
  readonly account: string;
  /** The processor's id. */
  readonly reference: string;
  readonly currency: string;
  /** Negative for money that the processor takes from the bank. */
  readonly amountMinor: bigint;
  readonly state: PayoutState;
  readonly createdAt: EpochMs;
  /** When it reaches the bank, or is expected to. */
  readonly arrivesAt: EpochMs;
  /** Why it failed, in the processor's words. */
  readonly failure?: string;
  /** Whether the processor can list its entries. It cannot for payouts that the shop requested. */
  readonly isItemized: boolean;
  /** The end of the last page of its entries; absent before the first page and after the last. */
  readonly cursor?: string;
  /** All of its entries were read. */
  readonly isRead: boolean;
  /** The sum of its entries of our payments, after fees, as far as they were read. */
  readonly oursMinor: bigint;
  /** The sum of its other entries: other software's, and failed payouts that it pays again. */
  readonly othersMinor: bigint;
  /** The first of them, `maxOthers` at most: another software may have any number. */
  readonly others: readonly OtherEntry[];
  /** Our id of the payout that pays it again after its failure. */
  readonly replacedBy?: string;
}

/** The entries of others that are kept with a payout. */
export const maxOthers = 100;

/** An entry of a payout that is about no payment of ours: a fee of the processor, for example. */
export interface OtherEntry {
  /** The processor's id of the entry. */
  readonly reference: string;
  /** In the processor's words, such as `stripe_fee`. */
  readonly kind: string;
  /** What the processor charged for. Other entries have none, because it may name a person. */
  readonly description?: string;
  /** After fees. Negative for money that leaves the shop. */
  readonly amountMinor: bigint;
  readonly at: EpochMs;
}

/** What the entries of one kind in a payout add up to. */
export interface PayoutSum
  extends Pick<
    SettlementEntry,
    'kind' | 'amountMinor' | 'processorFeeMinor' | 'applicationFeeMinor'
  > {}

/** A payout that contains entries of a day. */
export interface PayoutOfDay {
  readonly payout: Payout;
  /** The payout that pays them now: another one, if the bank has returned `payout`. */
  readonly paying: Payout;
}

/** The id of an entry or payout: processors number them for each account. */
export function settlementId(books: string, reference: string): string {
  return `${books}/${reference}`;
}

/** The amount of an entry that reaches the balance. */
export function netMinor({
  amountMinor,
  processorFeeMinor,
  applicationFeeMinor,
}: Pick<SettlementEntry, 'amountMinor' | 'processorFeeMinor' | 'applicationFeeMinor'>): bigint {
  return amountMinor - processorFeeMinor - applicationFeeMinor;
}
