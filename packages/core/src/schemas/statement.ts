import type { ChargePurpose } from '../domain/charge.ts';
import { formatMoney } from '../domain/money.ts';
import type { Payout, PayoutState, SettlementKind } from '../domain/settlement.ts';
import {
  type DifferenceReason,
  type StatementDifference,
  type StatementLine,
  type StatementState,
  type StatementSums,
  settledMinor,
} from '../domain/statement.ts';
import { formatTimestamp } from '../domain/time.ts';

/** Amounts of one currency, as decimals. Refunds, disputes and fees are positive where money leaves. */
export interface StatementSumsView {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The number of captured payments. */
  readonly payments: number;
  readonly captured: string;
  /** The part of `captured` that is tip, where it is not zero (D48). */
  readonly tips?: string;
  /** The part of `captured` that is deposits, where it is not zero (D49). */
  readonly deposits?: string;
  /** The part of `captured` that is fees for missed visits, where it is not zero. */
  readonly noShowFees?: string;
  /** Given back on this day, less what came back because a refund failed. */
  readonly refunded: string;
  /** The part of `refunded` that is tip, where it is not zero. */
  readonly refundedTips?: string;
  /** Withheld on this day, less what came back because a dispute was won. */
  readonly disputed: string;
  readonly applicationFees: string;
  /** Of the processor's entries. */
  readonly processorFees: string;
  /** The processor's entries after fees. */
  readonly settled: string;
  /** The part of `settled` that is at the bank now. */
  readonly arrived: string;
}

export interface BarberSumsView extends StatementSumsView {
  /** Absent for entries whose payment has no record here. */
  readonly barberId?: string;
  readonly barber?: string;
}

/** A payment, refund or dispute of the day. Money that leaves the shop is negative. */
export interface StatementLineView {
  readonly at: string;
  readonly kind: SettlementKind;
  readonly contactlessPaymentId: string;
  readonly barberId?: string;
  readonly barber?: string;
  /** The processor's id of the payment, refund or dispute. */
  readonly processorReference?: string;
  readonly currency: string;
  /** By our books. Absent if they have it on another day or not at all. */
  readonly amount?: string;
  /** The part of `amount` that is tip, where it is not zero. */
  readonly tip?: string;
  /** Of a payment that is a charge of a saved method. */
  readonly purpose?: ChargePurpose;
  readonly applicationFee: string;
  /** The processor's fee. */
  readonly processorFee?: string;
  /** By the processor, after fees. Absent without an entry on this day. */
  readonly settled?: string;
  /** The processor's id of the payout that pays it. */
  readonly payout?: string;
  readonly payoutArrivesAt?: string;
  readonly difference?: DifferenceReason;
}

export interface StatementDifferenceView {
  readonly reason: DifferenceReason;
  readonly since: string;
  readonly currency: string;
  /** By our books on this day. */
  readonly ours: string;
  /** By the processor's on this day. */
  readonly theirs: string;
  /** Absent for a payout. */
  readonly kind?: SettlementKind;
  readonly contactlessPaymentId?: string;
  readonly processorReference?: string;
}

/** A payout that pays entries of this day. */
export interface StatementPayoutView {
  /** The processor's id. */
  readonly id: string;
  readonly state: PayoutState;
  readonly currency: string;
  /** The whole payout, which may hold other days too. */
  readonly amount: string;
  readonly ofThisDay: string;
  readonly arrivesAt: string;
}

/** A day of a business: our books, the processor's entries and its payouts (D50). */
export interface StatementView {
  readonly businessId: string;
  readonly day: string;
  readonly timeZone: string;
  readonly from: string;
  readonly until: string;
  readonly state: StatementState;
  /** The processor's entries were read to this time; absent if the processor lists none. */
  readonly readUntil?: string;
  readonly shop: readonly StatementSumsView[];
  readonly barbers: readonly BarberSumsView[];
  readonly payouts: readonly StatementPayoutView[];
  readonly differences: readonly StatementDifferenceView[];
  readonly lines: readonly StatementLineView[];
}

/** A payout in the host's view. */
export interface PayoutView {
  /** The processor's id. */
  readonly id: string;
  readonly state: PayoutState;
  readonly currency: string;
  /** Negative for money that the processor takes from the bank. */
  readonly amount: string;
  readonly createdAt: string;
  /** When it reaches the bank, or is expected to. */
  readonly arrivesAt: string;
  /** Why it failed, in the processor's words. */
  readonly failure?: string;
  /** Whether its entries are known. The processor cannot tell those of a payout that was requested. */
  readonly isItemized: boolean;
  /** The part of our payments, after fees, as far as its entries were read. */
  readonly ours: string;
  /** The part of other entries of the account. */
  readonly others: string;
}

export function viewSums(sums: StatementSums): StatementSumsView {
  return {
    currency: sums.currency,
    payments: sums.payments,
    captured: formatMoney(sums.capturedMinor),
    ...(sums.tipsMinor !== 0n && { tips: formatMoney(sums.tipsMinor) }),
    ...(sums.depositsMinor !== 0n && { deposits: formatMoney(sums.depositsMinor) }),
    ...(sums.noShowFeesMinor !== 0n && { noShowFees: formatMoney(sums.noShowFeesMinor) }),
    refunded: formatMoney(sums.refundedMinor),
    ...(sums.refundedTipsMinor !== 0n && { refundedTips: formatMoney(sums.refundedTipsMinor) }),
    disputed: formatMoney(sums.disputedMinor),
    applicationFees: formatMoney(sums.applicationFeesMinor),
    processorFees: formatMoney(sums.processorFeesMinor),
    settled: formatMoney(sums.settledMinor),
    arrived: formatMoney(sums.arrivedMinor),
  };
}

export function viewLine(
  line: StatementLine,
  barber: string | undefined,
  payout: Payout | undefined,
  difference: DifferenceReason | undefined,
): StatementLineView {
  const { subject, barberId, oursMinor, kind } = line;
  return {
    at: formatTimestamp(line.at),
    kind,
    contactlessPaymentId: line.paymentId,
    ...(barberId !== undefined && { barberId }),
    ...(barber !== undefined && { barber }),
    ...(subject !== undefined && { processorReference: subject }),
    currency: line.currency,
    ...(oursMinor !== undefined && { amount: formatMoney(oursMinor) }),
    ...(line.tipMinor !== 0n && { tip: formatMoney(line.tipMinor) }),
    ...(line.purpose !== undefined && { purpose: line.purpose }),
    applicationFee: formatMoney(
      kind === 'payment' && oursMinor !== undefined ? line.askedFeeMinor : line.applicationFeeMinor,
    ),
    ...(line.theirsMinor !== undefined && {
      processorFee: formatMoney(line.processorFeeMinor),
      settled: formatMoney(settledMinor(line)),
    }),
    ...(payout !== undefined && {
      payout: payout.reference,
      payoutArrivesAt: formatTimestamp(payout.arrivesAt),
    }),
    ...(difference !== undefined && { difference }),
  };
}

export function viewDifference(difference: StatementDifference): StatementDifferenceView {
  const { reason, since, currency, oursMinor, theirsMinor, line, payout } = difference;
  const reference = line?.subject ?? payout?.reference;
  return {
    reason,
    since: formatTimestamp(since),
    currency,
    ours: formatMoney(oursMinor),
    theirs: formatMoney(theirsMinor),
    ...(line !== undefined && { kind: line.kind, contactlessPaymentId: line.paymentId }),
    ...(reference !== undefined && { processorReference: reference }),
  };
}

export function viewPayout(payout: Payout): PayoutView {
  const { reference, state, currency, failure, isItemized } = payout;
  return {
    id: reference,
    state,
    currency,
    amount: formatMoney(payout.amountMinor),
    createdAt: formatTimestamp(payout.createdAt),
    arrivesAt: formatTimestamp(payout.arrivesAt),
    ...(failure !== undefined && { failure }),
    isItemized,
    ours: formatMoney(payout.oursMinor),
    others: formatMoney(payout.othersMinor),
  };
}
