import type { ChargePurpose } from '../charge/charge.ts';
import type { Payment } from '../payment/payment.ts';
import { tipIn } from '../payment/tip.ts';
import type { Movement } from '../refund/movement.ts';
import type { ShareEntry } from '../share/share.ts';
import { broughtMinor, type Tender, type TenderKind } from '../tender/tender.ts';
import { byText } from '../values/text.ts';
import type { EpochMs, Span } from '../values/time.ts';
import { netMinor, type Payout, type SettlementEntry, type SettlementKind } from './settlement.ts';

/** Why a line of our books differs from the processor's. */
export type DifferenceReason =
  /** The processor's list was not read to this time yet. */
  | 'notListedYet'
  /** The processor's list has no entry for it. */
  | 'missingAtProcessor'
  /** We have no record for the processor's entry. */
  | 'missingHere'
  /** Both agree on the amount, and not on the day. */
  | 'otherDay'
  | 'otherAmount'
  /** The processor took another application fee than we asked for. */
  | 'otherFee'
  /** The payout failed, and no other one has paid it again yet. */
  | 'payoutFailed'
  /** The payout is not the sum of its entries. */
  | 'payoutDiffers';

/** How far the lists of an account were compared, and its entries read. */
export interface AccountProgress {
  readonly account: string;
  readonly sweptBefore: EpochMs;
  readonly listedBefore: EpochMs;
  /** While its list was never read: when its first payment was begun. */
  readonly begunAt?: EpochMs | undefined;
}

/** What one payment, refund or dispute did on one day, by our books and by the processor's. */
interface Booked {
  readonly kind: SettlementKind;
  readonly paymentId: string;
  /** The processor's id of the payment, refund or dispute; absent if it never stated one. */
  readonly subject?: string | undefined;
  readonly barberId?: string | undefined;
  readonly currency: string;
  /** The first time in either book. */
  readonly at: EpochMs;
  /** Absent if our books have nothing of it on this day. */
  readonly oursMinor?: bigint | undefined;
  /** The part of it that is tip. */
  readonly tipMinor: bigint;
  /** Of a payment that is a charge of a saved method. */
  readonly purpose?: ChargePurpose | undefined;
  readonly askedFeeMinor: bigint;
  /** Absent if the processor has no entry on this day. */
  readonly theirsMinor?: bigint | undefined;
  readonly processorFeeMinor: bigint;
  /** As the processor shows it. */
  readonly applicationFeeMinor: bigint;
  /** The part of the processor's amount that is not the shop's. */
  readonly platformMinor: bigint;
}

/** One record of ours, one entry of the processor's, or both as a pair. So it belongs to one payout. */
export interface StatementLine extends Booked {
  /** Our id of the entry; without an entry, the id of our record. */
  readonly id: string;
  /** Our id of the payout that contains the entry. */
  readonly payoutId?: string | undefined;
}

/** All lines of one payment, refund or dispute on one day. Their sum must agree, not each of them. */
export interface StatementItem extends Booked {
  /** The last time in either book. */
  readonly lastAt: EpochMs;
  readonly lines: readonly StatementLine[];
}

/** An item or payout that does not agree. */
export interface StatementDifference {
  readonly reason: DifferenceReason;
  readonly since: EpochMs;
  readonly currency: string;
  /** The amount; the fee, if the amounts agree. */
  readonly oursMinor: bigint;
  readonly theirsMinor: bigint;
  readonly item?: StatementItem;
  readonly payout?: Payout;
}

/** All records of one payment, of any day. They explain an item whose two sides differ. */
export interface PaymentTrace {
  readonly payment: Payment | undefined;
  readonly movements: readonly Movement[];
  readonly entries: readonly SettlementEntry[];
}

export interface DayRecords {
  readonly captures: readonly Payment[];
  readonly movements: readonly Movement[];
  readonly entries: readonly SettlementEntry[];
  /** The payments of the movements, by id. */
  readonly payments?: ReadonlyMap<string, Payment>;
}

/** Pairs the records of a day. The result depends on the records alone, and not on their order. */
export function pairDay({
  captures,
  movements,
  entries,
  payments,
}: DayRecords): readonly StatementItem[] {
  const lines = [
    ...captures.map(captureLine),
    ...movements.map((one) => movementLine(one, payments?.get(one.paymentId))),
    ...entries.map(entryLine),
  ];
  const items = [...Map.groupBy(lines, keyOf)].map(([key, same]) => [key, itemOf(same)] as const);
  const ordered = items.sort(([a, one], [b, other]) => one.at - other.at || byText(a, b));
  return ordered.map(([, item]) => item);
}

type Paired = Pick<Booked, 'kind' | 'subject' | 'paymentId' | 'currency'>;

/** A payment is captured once, so its own id names the capture. */
function keyOf({ kind, subject = '', paymentId, currency }: Paired): string {
  return JSON.stringify([kind, paymentId, kind === 'payment' ? '' : subject, currency]);
}

const nothingSettled = {
  processorFeeMinor: 0n,
  applicationFeeMinor: 0n,
  platformMinor: 0n,
} as const;

function captureLine(payment: Payment): StatementLine {
  const { id, reference: subject, currency, capturedMinor = 0n } = payment;
  const { capturedAt: at = payment.updatedAt, applicationFeeMinor: askedFeeMinor = 0n } = payment;
  return {
    id,
    kind: 'payment',
    paymentId: id,
    subject,
    barberId: payment.appointment.barber.id,
    currency,
    at,
    oursMinor: capturedMinor,
    tipMinor: tipIn(payment, capturedMinor),
    purpose: payment.charge?.purpose,
    askedFeeMinor,
    ...nothingSettled,
  };
}

function movementLine(movement: Movement, payment: Payment | undefined): StatementLine {
  const { id, kind, paymentId, subject, barberId, currency, amountMinor, tipMinor, at } = movement;
  const ours = { oursMinor: amountMinor, tipMinor, askedFeeMinor: 0n, ...nothingSettled };
  const line = { id, kind, paymentId, subject, barberId, currency, at, ...ours };
  if (kind !== 'payment' || payment === undefined) return line;
  // The fee goes with the amount, and the sums of deposits and fees do too.
  const { applicationFeeMinor: feeMinor = 0n, charge } = payment;
  return { ...line, askedFeeMinor: signOf(line) * feeMinor, purpose: charge?.purpose };
}

function entryLine(entry: SettlementEntry): StatementLine {
  const { id, kind, paymentId, subject, currency, amountMinor, at, payoutId } = entry;
  const { processorFeeMinor, applicationFeeMinor, platformMinor = 0n } = entry;
  return {
    id,
    kind,
    paymentId,
    subject,
    currency,
    at,
    tipMinor: 0n,
    askedFeeMinor: 0n,
    theirsMinor: amountMinor,
    processorFeeMinor,
    applicationFeeMinor,
    platformMinor,
    payoutId,
  };
}

/** The item of these lines, which have one key: there is at least one. */
function itemOf(lines: readonly StatementLine[]): StatementItem {
  const paired = pairLines(lines);
  const { id: _id, payoutId: _payout, ...sum } = paired.reduce(joined);
  return {
    ...sum,
    lastAt: lines.reduce((last, { at }) => Math.max(last, at), sum.at),
    lines: paired,
  };
}

/** Finds our record of each entry: first by its amount, then by its sign. The rest have a line each. */
function pairLines(lines: readonly StatementLine[]): readonly StatementLine[] {
  const pairs: StatementLine[] = [];
  const ordered = lines.toSorted(byTime);
  let ours: readonly StatementLine[] = ordered.filter((line) => line.oursMinor !== undefined);
  let theirs = ordered.filter((line) => line.oursMinor === undefined);
  for (const likeness of [amountOf, signOf]) {
    const alike = Map.groupBy(ours, likeness);
    theirs = theirs.filter((entry) => {
      const one = alike.get(likeness(entry))?.shift();
      if (one !== undefined) pairs.push(joined(one, entry));
      return one === undefined;
    });
    ours = [...alike.values()].flat().toSorted(byTime);
  }
  return [...pairs, ...ours, ...theirs].toSorted(byTime);
}

function amountOf({ oursMinor, theirsMinor = 0n }: StatementLine): bigint {
  return oursMinor ?? theirsMinor;
}

function signOf(line: StatementLine): bigint {
  return amountOf(line) < 0n ? -1n : 1n;
}

export function byTime(a: StatementLine, b: StatementLine): number {
  return a.at - b.at || byText(a.id, b.id);
}

/** The sum of two lines of one item. A pair of our record and its entry has the entry's id. */
function joined(a: StatementLine, b: StatementLine): StatementLine {
  const { subject = b.subject, barberId = b.barberId, purpose = b.purpose } = a;
  return {
    ...b,
    subject,
    barberId,
    at: Math.min(a.at, b.at),
    oursMinor: added(a.oursMinor, b.oursMinor),
    tipMinor: a.tipMinor + b.tipMinor,
    purpose,
    askedFeeMinor: a.askedFeeMinor + b.askedFeeMinor,
    theirsMinor: added(a.theirsMinor, b.theirsMinor),
    processorFeeMinor: a.processorFeeMinor + b.processorFeeMinor,
    applicationFeeMinor: a.applicationFeeMinor + b.applicationFeeMinor,
    platformMinor: a.platformMinor + b.platformMinor,
  };
}

function added(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined ? b : a + (b ?? 0n);
}

export function agrees(line: Booked): boolean {
  return (line.oursMinor ?? 0n) === (line.theirsMinor ?? 0n) && !isOtherFee(line);
}

/** The processor decides how much of a fee a refund returns, so only a payment's fee is compared. */
function isOtherFee(line: Booked): boolean {
  return line.kind === 'payment' && line.askedFeeMinor !== line.applicationFeeMinor;
}

/** Whether the item may still agree: the list was not read to its end yet. */
export function isAwaited({ oursMinor, lastAt }: StatementItem, readUntil: EpochMs): boolean {
  return oursMinor !== undefined && lastAt >= readUntil;
}

/**
 * Why the two sides of an item differ.
 * @param trace absent only for an item that agrees or may still agree.
 */
export function reasonOf(
  item: StatementItem,
  readUntil: EpochMs,
  trace: PaymentTrace | undefined,
): DifferenceReason | undefined {
  if (agrees(item)) return undefined;
  if (trace === undefined || isAwaited(item, readUntil)) return 'notListedYet';
  const ours = oursOfAllDays(item, trace);
  const theirs = meantBy(item, trace.entries);
  // What a person's word recorded, and a later day took back, the processor never had (D201).
  const isUndone = theirs.length === 0 && agreeOnce(ours, theirs, item.lastAt);
  if (isUndone) return 'otherDay';
  if (theirs.length === 0) return 'missingAtProcessor';
  if (ours.length === 0) return 'missingHere';
  if (!agreeOnce(ours, theirs, item.lastAt)) return 'otherAmount';
  // Of a payment on two days, neither item has both fees.
  const feeMinor = theirs.reduce((sum, entry) => sum + entry.applicationFeeMinor, 0n);
  const { applicationFeeMinor: askedMinor = 0n } = trace.payment ?? {};
  const isOther = item.kind === 'payment' && feeMinor !== askedMinor;
  return isOther || item.oursMinor === item.theirsMinor ? 'otherFee' : 'otherDay';
}

type Amount = Pick<SettlementEntry, 'amountMinor' | 'at'>;

function oursOfAllDays(item: StatementItem, trace: PaymentTrace): readonly Amount[] {
  const moved = meantBy(item, trace.movements);
  if (item.kind !== 'payment') return moved;
  const { capturedAt: at, capturedMinor: amountMinor = 0n, currency } = trace.payment ?? {};
  return at !== undefined && currency === item.currency ? [{ amountMinor, at }, ...moved] : moved;
}

function meantBy<T extends Paired>(item: StatementItem, records: readonly T[]): readonly T[] {
  const key = keyOf(item);
  return records.filter((record) => keyOf(record) === key);
}

/**
 * Whether both books were equal at some moment from this time on. A later record, such as the failure
 * of a refund, cannot change that, so a closed day stays closed.
 */
function agreeOnce(ours: readonly Amount[], theirs: readonly Amount[], from: EpochMs): boolean {
  const moments = [...ours, ...theirs].map(({ at }) => Math.max(at, from));
  const until = (amounts: readonly Amount[], moment: EpochMs) =>
    amounts.reduce((sum, { amountMinor, at }) => (at <= moment ? sum + amountMinor : sum), 0n);
  return moments.some((moment) => until(ours, moment) === until(theirs, moment));
}

/** Why a payout needs a person, by its own figures. */
export function payoutReason(payout: Payout): DifferenceReason | undefined {
  if (!isOnItsWay(payout)) return 'payoutFailed';
  const isSummed = payout.isItemized && payout.isRead;
  const isSum = payout.oursMinor + payout.othersMinor === payout.amountMinor;
  return isSummed && !isSum ? 'payoutDiffers' : undefined;
}

/** Whether it may reach the bank, or has: its amount is not in the balance again. */
export function isOnItsWay({ state }: Pick<Payout, 'state'>): boolean {
  return state === 'pending' || state === 'paid';
}

export function hasArrived({ state, arrivesAt }: Payout, now: EpochMs): boolean {
  return state === 'paid' && arrivesAt <= now;
}

const noSums = {
  payments: 0,
  capturedMinor: 0n,
  /** The part of the captured amount that is tip. */
  tipsMinor: 0n,
  /** The part of the captured amount that is deposits. */
  depositsMinor: 0n,
  /** The part of the captured amount that is fees for missed visits. */
  noShowFeesMinor: 0n,
  /** The part that is tip of the refunded amount, and of cash in place of a failed refund. */
  refundedTipsMinor: 0n,
  /** Given back on this day, less what came back because a refund failed. */
  refundedMinor: 0n,
  /** Withheld on this day, less what came back because a dispute was won. */
  disputedMinor: 0n,
  applicationFeesMinor: 0n,
  processorFeesMinor: 0n,
  /** By the processor, after fees. */
  settledMinor: 0n,
  /** The part of it that is at the bank. */
  arrivedMinor: 0n,
};

export type StatementSums = typeof noSums & {
  readonly currency: string;
  readonly barberId: string | undefined;
  /** Paid without a card; the processor's side never has it. */
  readonly tenders: Map<TenderKind, TenderSums>;
};

interface TenderSums {
  /** Without what was voided. */
  takenMinor: bigint;
  returnedMinor: bigint;
}

/** The sums of a day by barber and currency, or of the whole shop by currency. */
export function sumsOf(
  items: readonly StatementItem[],
  by: (record: { readonly barberId?: string | undefined }) => string | undefined,
  isAtBank: (payoutId: string) => boolean,
  tenders: readonly Tender[] = [],
  shares: readonly ShareEntry[] = [],
): readonly StatementSums[] {
  const sums = new Map<string, StatementSums>();
  const sumsFor = (record: StatementItem | Tender | ShareEntry) => {
    const { currency } = record;
    const barberId = by(record);
    const key = JSON.stringify([barberId, currency]);
    const into = sums.get(key) ?? { ...noSums, currency, barberId, tenders: new Map() };
    sums.set(key, into);
    return into;
  };
  for (const item of items) addItem(sumsFor(item), item, isAtBank);
  for (const tender of tenders) addTender(sumsFor(tender), tender);
  for (const entry of shares) addAmount(sumsFor(entry), entry, entry.amountMinor);
  const ordered = [...sums].sort(([a], [b]) => byText(a, b));
  return ordered.map(([, one]) => one);
}

function addTender(into: StatementSums, tender: Tender): void {
  const { tenders } = into;
  const sums = tenders.get(tender.kind) ?? { takenMinor: 0n, returnedMinor: 0n };
  tenders.set(tender.kind, sums);
  into.refundedTipsMinor += tender.tipMinor ?? 0n;
  if (tender.act === 'return') sums.returnedMinor += tender.amountMinor;
  else sums.takenMinor += broughtMinor(tender);
}

/**
 * Adds an amount of a payment, a refund or a dispute. A share of it is what a barber gained, because the whole counts
 * for the one who opened the payment.
 */
function addAmount(
  sums: StatementSums,
  { kind, purpose, tipMinor }: Pick<StatementItem, 'kind' | 'purpose' | 'tipMinor'>,
  amountMinor: bigint,
): void {
  if (kind === 'payment') {
    sums.capturedMinor += amountMinor;
    sums.tipsMinor += tipMinor;
    if (purpose === 'deposit') sums.depositsMinor += amountMinor;
    else if (purpose === 'noShow') sums.noShowFeesMinor += amountMinor;
  } else if (kind === 'refund') {
    sums.refundedMinor -= amountMinor;
    sums.refundedTipsMinor -= tipMinor;
  } else sums.disputedMinor -= amountMinor;
}

function addItem(
  sums: StatementSums,
  item: StatementItem,
  isAtBank: (payoutId: string) => boolean,
): void {
  const { kind, oursMinor = 0n, processorFeeMinor, applicationFeeMinor } = item;
  addAmount(sums, item, oursMinor);
  // A correction of another day takes an amount back, and is no payment (D201).
  if (kind === 'payment' && oursMinor > 0n) sums.payments += 1;
  sums.applicationFeesMinor += kind === 'payment' ? item.askedFeeMinor : applicationFeeMinor;
  sums.processorFeesMinor += processorFeeMinor;
  sums.settledMinor += settledMinor(item);
  for (const line of item.lines) {
    const { payoutId } = line;
    if (payoutId !== undefined && isAtBank(payoutId)) sums.arrivedMinor += settledMinor(line);
  }
}

/** The amount that reaches the shop's balance, by the processor's entries; zero without any. */
export function settledMinor(line: Booked): bigint {
  return netMinor({ ...line, amountMinor: (line.theirsMinor ?? 0n) - line.platformMinor });
}

/** `closed`: the figures of the day will not change; only its payouts still arrive. */
export type StatementState = 'open' | 'differs' | 'closed';

/** @param readUntil no day that ends later is closed: `timeOnOpenDay` counts on it. */
export function stateOf(
  { until }: Span,
  now: EpochMs,
  readUntil: EpochMs,
  reasons: readonly DifferenceReason[],
): StatementState {
  if (now < until || readUntil < until) return 'open';
  return reasons.every((reason) => reason === 'otherDay') ? 'closed' : 'differs';
}
