import type { ChargePurpose } from '../charge/charge.ts';
import type { Payment } from '../payment/payment.ts';
import type { ShareEntry, ShareKind } from '../share/share.ts';
import { broughtMinor, type Tender, type TenderKind, tenderKinds } from '../tender/tender.ts';
import { formatMoneyIn } from '../values/money.ts';
import { formatTimestamp } from '../values/time.ts';
import {
  netMinor,
  type Payout,
  type PayoutOfDay,
  type PayoutState,
  type PayoutSum,
  type SettlementKind,
  settlementId,
} from './settlement.ts';
import {
  type AccountProgress,
  type DifferenceReason,
  isOnItsWay,
  type StatementDifference,
  type StatementLine,
  type StatementState,
  type StatementSums,
  settledMinor,
} from './statement.ts';

/** Amounts of one currency, in that currency's own decimals. Refunds, disputes and fees are positive where money leaves. */
export interface StatementSumsView {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The number of captured payments. */
  readonly payments: number;
  readonly captured: string;
  /** The part of `captured` that is tip, where it is not zero. */
  readonly tips?: string;
  /** The part of `captured` that is deposits, where it is not zero. */
  readonly deposits?: string;
  /** The part of `captured` that is fees for missed visits, where it is not zero. */
  readonly noShowFees?: string;
  /** Given back on this day, less what came back because a refund failed. */
  readonly refunded: string;
  /** The part that is tip of `refunded` and of cash for a card payment, where it is not zero. */
  readonly refundedTips?: string;
  /** Withheld on this day, less what came back because a dispute was won. */
  readonly disputed: string;
  readonly applicationFees: string;
  /** Of the processor's entries. */
  readonly processorFees: string;
  /** What the processor's entries brought to the shop's account, after fees and without what a platform bears. */
  readonly settled: string;
  /** The part of `settled` that is at the bank now. */
  readonly arrived: string;
  /** Paid without a card, by kind. Absent without any, as the next two are. */
  readonly tenders?: readonly TenderSumsView[];
  /** All of them: taken, less what was given back. */
  readonly tendered?: string;
  /** What came in altogether: `captured` and `tendered`, less `refunded` and `disputed`. */
  readonly takings?: string;
}

/** What was paid without a card on the days of a statement, by its kind. */
export interface TenderSumsView {
  readonly kind: TenderKind;
  /** Without what was voided. */
  readonly taken: string;
  readonly returned: string;
}

/** What was paid without a card, given back of that, or voided, because it was recorded by mistake. */
export interface TenderLineView {
  readonly id: string;
  readonly day: string;
  readonly at: string;
  readonly act: Tender['act'];
  readonly kind: TenderKind;
  readonly appointmentId: string;
  /** The tender that was given back or voided. */
  readonly tenderId?: string;
  /** The card payment for which cash was given back, because its refund had failed. */
  readonly contactlessPaymentId?: string;
  readonly barberId: string;
  readonly barber: string;
  readonly currency: string;
  /** Negative for what was given back or voided. */
  readonly amount: string;
  /** The part of it that is tip, where it is not zero: only of cash for a card payment. */
  readonly tip?: string;
}

/**
 * What a visit and barber gained or lost of a payment, of a refund or of a dispute. The lines have each amount for the
 * barber who opened the payment; these entries say whose it is, and add up to zero.
 */
export interface ShareLineView {
  readonly id: string;
  readonly day: string;
  readonly at: string;
  /** What was shared. */
  readonly kind: ShareKind;
  readonly contactlessPaymentId: string;
  readonly appointmentId: string;
  readonly barberId: string;
  /** Absent for a barber whose name is not known here. */
  readonly barber?: string;
  readonly currency: string;
  /** Negative for what was lost. Of a refund or dispute, negative for whom it takes. */
  readonly amount: string;
  /** The part of it that is tip, where it is not zero. */
  readonly tip?: string;
}

/** The sums of one barber on the days of a statement. */
export interface BarberSumsView extends StatementSumsView {
  /** Absent for entries whose payment has no record here. */
  readonly barberId?: string;
  readonly barber?: string;
}

/**
 * One entry of the processor, with our record of it. Money that leaves the shop is negative. A dispute that is
 * withheld and won on one day has two lines, because they may be in two payouts.
 */
export interface StatementLineView {
  /**
   * Unique among all lines of all days: the account and the processor's id of the entry, such as
   * `acct_1/txn_1`. A line without an entry has the id of our record.
   */
  readonly id: string;
  /** The day of the statement, on the shop's calendar: `at` is in UTC, and may be another day there. */
  readonly day: string;
  readonly at: string;
  readonly kind: SettlementKind;
  readonly contactlessPaymentId: string;
  /** Absent, as the next ones, for an entry whose payment has no record here. */
  readonly appointmentId?: string;
  readonly barberId?: string;
  readonly barber?: string;
  readonly locationId?: string;
  readonly location?: string;
  /** The last four digits of the card. */
  readonly cardLastFour?: string;
  /** The processor's id of the payment, refund or dispute. */
  readonly processorReference?: string;
  readonly currency: string;
  /** By our books. Absent if they have it on another day or not at all. */
  readonly amount?: string;
  /** The part of `amount` that is tip, where it is not zero. */
  readonly tip?: string;
  /** Of a charge of a saved method, and of its refunds and disputes. */
  readonly purpose?: ChargePurpose;
  readonly applicationFee: string;
  /** The processor's fee. */
  readonly processorFee?: string;
  /** What it brought to the shop's account, after fees. Absent without an entry on this day. */
  readonly settled?: string;
  /** The processor's id of the payout that contains the entry. The lines of a payout add up to its `ours`. */
  readonly payout?: string;
  /** When the money reaches the bank. Absent while the bank has returned it, until another payout pays it again. */
  readonly payoutArrivesAt?: string;
  readonly difference?: DifferenceReason;
}

/** A difference between our books and the processor's, for a person to look at. */
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
  /** The payouts in the day's lines that the bank returned, and that this one pays again. */
  readonly paysAgain?: readonly string[];
}

/** A day of a business: our books, the processor's entries and its payouts. */
export interface StatementView {
  readonly businessId: string;
  readonly day: string;
  /** The last of several days. */
  readonly lastDay?: string;
  readonly timeZone: string;
  readonly from: string;
  readonly until: string;
  readonly state: StatementState;
  /** The processor's entries were read to this time; absent if the processor lists none. */
  readonly readUntil?: string;
  /** The days are over, and open because the entries of these accounts were not read to their end. */
  readonly waitsFor?: readonly AccountProgressView[];
  readonly shop: readonly StatementSumsView[];
  readonly barbers: readonly BarberSumsView[];
  readonly payouts: readonly StatementPayoutView[];
  readonly differences: readonly StatementDifferenceView[];
  readonly lines: readonly StatementLineView[];
  /** What was paid without a card. Absent without any. */
  readonly tenders?: readonly TenderLineView[];
  /** Whose shared payments are. Absent without any. */
  readonly shares?: readonly ShareLineView[];
}

/** How far the entries of an account were read. */
export interface AccountProgressView {
  readonly account: string;
  readonly readUntil: string;
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
  /** Whether all of its entries are known. The processor cannot tell those of a payout that was requested. */
  readonly isItemized: boolean;
  /**
   * What the business's payments are in it, as far as its entries were read: `captured` less `refunded`,
   * `disputed` and the fees is `ours`.
   */
  readonly captured: string;
  readonly refunded: string;
  readonly disputed: string;
  readonly applicationFees: string;
  readonly processorFees: string;
  readonly ours: string;
  /** The rest: other entries of the account, and other businesses that share it. */
  readonly others: string;
  /** What `others` is the sum of. */
  readonly otherEntries: readonly OtherEntryView[];
  /** What `amount` has beyond `ours` and `others`, although all entries are known, where it is not zero. */
  readonly unexplained?: string;
  /** The processor's id of the payout that pays it again after its failure. */
  readonly paidAgainBy?: string;
}

/** A part of a payout that is not of the business's payments. Money that leaves is negative. */
export interface OtherEntryView {
  /** The processor's id of the entry; absent for a sum. */
  readonly id?: string;
  readonly at?: string;
  /**
   * In the processor's words, such as `stripe_fee`. `otherBusinesses` is the sum of payments of businesses that
   * share the account, and `more` of entries beyond the first hundred.
   */
  readonly kind: string;
  /** What the processor charged for, or the failed payout that is paid again. */
  readonly description?: string;
  readonly amount: string;
}

export function viewSums(sums: StatementSums): StatementSumsView {
  const money = (minor: bigint) => formatMoneyIn(minor, sums.currency);
  return {
    currency: sums.currency,
    payments: sums.payments,
    captured: money(sums.capturedMinor),
    ...(sums.tipsMinor !== 0n && { tips: money(sums.tipsMinor) }),
    ...(sums.depositsMinor !== 0n && { deposits: money(sums.depositsMinor) }),
    ...(sums.noShowFeesMinor !== 0n && { noShowFees: money(sums.noShowFeesMinor) }),
    refunded: money(sums.refundedMinor),
    ...(sums.refundedTipsMinor !== 0n && { refundedTips: money(sums.refundedTipsMinor) }),
    disputed: money(sums.disputedMinor),
    applicationFees: money(sums.applicationFeesMinor),
    processorFees: money(sums.processorFeesMinor),
    settled: money(sums.settledMinor),
    arrived: money(sums.arrivedMinor),
    ...viewTenderSums(sums),
  };
}

function viewTenderSums(
  sums: StatementSums,
): Pick<StatementSumsView, 'tenders' | 'tendered' | 'takings'> {
  const { currency, tenders, capturedMinor, refundedMinor, disputedMinor } = sums;
  if (tenders.size === 0) return {};
  const money = (minor: bigint) => formatMoneyIn(minor, currency);
  const listed = tenderKinds.flatMap((kind) => {
    const one = tenders.get(kind);
    return one === undefined ? [] : [{ kind, ...one }];
  });
  const tenderedMinor = listed.reduce((sum, one) => sum + one.takenMinor - one.returnedMinor, 0n);
  return {
    tenders: listed.map(({ kind, takenMinor, returnedMinor }) => ({
      kind,
      taken: money(takenMinor),
      returned: money(returnedMinor),
    })),
    tendered: money(tenderedMinor),
    takings: money(capturedMinor + tenderedMinor - refundedMinor - disputedMinor),
  };
}

export function viewTenderLine(day: string, tender: Tender): TenderLineView {
  const { id, act, kind, appointmentId, tenderId, paymentId, barberId, currency } = tender;
  const { tipMinor = 0n } = tender;
  return {
    id,
    day,
    at: formatTimestamp(tender.at),
    act,
    kind,
    appointmentId,
    ...(tenderId !== undefined && { tenderId }),
    ...(paymentId !== undefined && { contactlessPaymentId: paymentId }),
    barberId,
    barber: tender.barberName,
    currency,
    amount: formatMoneyIn(broughtMinor(tender), currency),
    ...(tipMinor !== 0n && { tip: formatMoneyIn(-tipMinor, currency) }),
  };
}

export function viewShareLine(
  day: string,
  entry: ShareEntry,
  barber = entry.barberName,
): ShareLineView {
  const { id, kind, paymentId, appointmentId, barberId, currency, amountMinor, tipMinor } = entry;
  return {
    id,
    day,
    at: formatTimestamp(entry.at),
    kind,
    contactlessPaymentId: paymentId,
    appointmentId,
    barberId,
    ...(barber !== undefined && { barber }),
    currency,
    amount: formatMoneyIn(amountMinor, currency),
    ...(tipMinor !== 0n && { tip: formatMoneyIn(tipMinor, currency) }),
  };
}

/** What a line's view has beside the line itself. */
interface AboutLine extends Pick<StatementLineView, 'day'> {
  readonly barberId: string | undefined;
  readonly barber: string | undefined;
  readonly paid: PayoutOfDay | undefined;
  readonly difference: DifferenceReason | undefined;
}

export function viewLine(
  line: StatementLine,
  payment: Payment | undefined,
  { day, barberId, barber, paid, difference }: AboutLine,
): StatementLineView {
  const { id, subject, oursMinor, kind } = line;
  const purpose = payment?.charge?.purpose;
  const money = (minor: bigint) => formatMoneyIn(minor, line.currency);
  return {
    id,
    day,
    at: formatTimestamp(line.at),
    kind,
    contactlessPaymentId: line.paymentId,
    ...(payment !== undefined && { appointmentId: payment.appointment.id }),
    ...(barberId !== undefined && { barberId }),
    ...(barber !== undefined && { barber }),
    ...(payment !== undefined && placeOf(payment)),
    ...(subject !== undefined && { processorReference: subject }),
    currency: line.currency,
    ...(oursMinor !== undefined && { amount: money(oursMinor) }),
    ...(line.tipMinor !== 0n && { tip: money(line.tipMinor) }),
    ...(purpose !== undefined && { purpose }),
    // The processor's entry of another day shows the fee again.
    applicationFee: money(kind === 'payment' ? line.askedFeeMinor : line.applicationFeeMinor),
    ...(line.theirsMinor !== undefined && {
      processorFee: money(line.processorFeeMinor),
      settled: money(settledMinor(line)),
    }),
    ...(paid !== undefined && {
      payout: paid.payout.reference,
      ...(isOnItsWay(paid.paying) && { payoutArrivesAt: formatTimestamp(paid.paying.arrivesAt) }),
    }),
    ...(difference !== undefined && { difference }),
  };
}

export function viewProgress({ account, listedBefore }: AccountProgress): AccountProgressView {
  return { account, readUntil: formatTimestamp(listedBefore) };
}

function placeOf({
  appointment: { location },
  card,
}: Payment): Pick<StatementLineView, 'locationId' | 'location' | 'cardLastFour'> {
  const lastFour = card?.maskedPersonalAccountNumber.slice(-'4242'.length);
  return {
    locationId: location.id,
    location: location.name,
    ...(lastFour !== undefined && { cardLastFour: lastFour }),
  };
}

export function viewDifference(difference: StatementDifference): StatementDifferenceView {
  const { reason, since, currency, oursMinor, theirsMinor, item, payout } = difference;
  const reference = item?.subject ?? payout?.reference;
  return {
    reason,
    since: formatTimestamp(since),
    currency,
    ours: formatMoneyIn(oursMinor, currency),
    theirs: formatMoneyIn(theirsMinor, currency),
    ...(item !== undefined && { kind: item.kind, contactlessPaymentId: item.paymentId }),
    ...(reference !== undefined && { processorReference: reference }),
  };
}

/** @param sums what the business's entries in it are, by kind. */
export function viewPayout(payout: Payout, sums: readonly PayoutSum[]): PayoutView {
  const { account, reference, state, currency, failure, replacedBy } = payout;
  const isItemized = payout.isItemized && payout.isRead;
  const unexplainedMinor = payout.amountMinor - payout.oursMinor - payout.othersMinor;
  const money = (minor: bigint) => formatMoneyIn(minor, currency);
  const total = (of: (sum: PayoutSum) => bigint) => sums.reduce((all, sum) => all + of(sum), 0n);
  const grossOf = (kind: SettlementKind) =>
    total((sum) => (sum.kind === kind ? sum.amountMinor : 0n));
  const oursMinor = total(netMinor);
  const ofOtherBusinesses = payout.oursMinor - oursMinor;
  const named = payout.others.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const rest = { otherBusinesses: ofOtherBusinesses, more: payout.othersMinor - named };
  return {
    id: reference,
    state,
    currency,
    amount: money(payout.amountMinor),
    createdAt: formatTimestamp(payout.createdAt),
    arrivesAt: formatTimestamp(payout.arrivesAt),
    ...(failure !== undefined && { failure }),
    isItemized,
    captured: money(grossOf('payment')),
    refunded: money(-grossOf('refund')),
    disputed: money(-grossOf('dispute')),
    applicationFees: money(total(({ applicationFeeMinor }) => applicationFeeMinor)),
    processorFees: money(total(({ processorFeeMinor }) => processorFeeMinor)),
    ours: money(oursMinor),
    others: money(payout.othersMinor + ofOtherBusinesses),
    otherEntries: [
      ...payout.others.map(({ reference: id, at, amountMinor, ...what }) => ({
        id,
        at: formatTimestamp(at),
        ...what,
        amount: money(amountMinor),
      })),
      ...Object.entries(rest).flatMap(([kind, minor]) =>
        minor === 0n ? [] : [{ kind, amount: money(minor) }],
      ),
    ],
    ...(isItemized && unexplainedMinor !== 0n && { unexplained: money(unexplainedMinor) }),
    ...(replacedBy !== undefined && {
      paidAgainBy: replacedBy.slice(settlementId(account, '').length),
    }),
  };
}
