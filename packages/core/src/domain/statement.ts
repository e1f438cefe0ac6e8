import type { BarberReference } from './appointment.ts';
import type { Span } from './business-day.ts';
import type { ChargePurpose } from './charge.ts';
import type { Movement } from './movement.ts';
import type { Payment } from './payment.ts';
import { netMinor, type Payout, type SettlementEntry, type SettlementKind } from './settlement.ts';
import type { EpochMs } from './time.ts';
import { tipIn } from './tip.ts';

export const differenceReasons = [
  /** The processor's list was not read to this time yet. */
  'notListedYet',
  /** The processor's list has no entry for it. */
  'missingAtProcessor',
  /** We have no record for the processor's entry. */
  'missingHere',
  /** Both agree on the amount, and not on the day. */
  'otherDay',
  'otherAmount',
  /** The processor took another application fee than we asked for. */
  'otherFee',
  /** The payout failed, and no other one has paid it again yet. */
  'payoutFailed',
  /** The payout is not the sum of its entries. */
  'payoutDiffers',
] as const;
export type DifferenceReason = (typeof differenceReasons)[number];

/** One payment, refund or dispute on one day: by our books, and by the processor's. */
export interface StatementLine {
  readonly kind: SettlementKind;
  readonly paymentId: string;
  /** The processor's id of the payment, refund or dispute; absent if it never stated one. */
  readonly subject?: string;
  readonly barberId?: string;
  readonly currency: string;
  /** The first and the last time of the line, in either book. */
  readonly at: EpochMs;
  readonly lastAt: EpochMs;
  /** Absent if our books have no such line on this day. */
  readonly oursMinor?: bigint;
  /** The part of it that is tip. */
  readonly tipMinor: bigint;
  /** Of a payment that is a charge of a saved method (D49). */
  readonly purpose?: ChargePurpose;
  readonly askedFeeMinor: bigint;
  /** Absent if the processor has no entry on this day. */
  readonly theirsMinor?: bigint;
  readonly processorFeeMinor: bigint;
  /** As the processor shows it. */
  readonly applicationFeeMinor: bigint;
  /** Its parts by payout: two entries of a dispute may be in two payouts. */
  readonly paid: readonly PaidPart[];
}

/** The entries of a line that one payout pays, after fees. */
export interface PaidPart {
  readonly payoutId: string;
  readonly netMinor: bigint;
}

/** A line or payout that does not agree. */
export interface StatementDifference {
  readonly reason: DifferenceReason;
  readonly since: EpochMs;
  readonly currency: string;
  readonly oursMinor: bigint;
  readonly theirsMinor: bigint;
  readonly line?: StatementLine;
  readonly payout?: Payout;
}

/** All records of one payment, of any day. They explain a line whose two sides differ. */
export interface PaymentTrace {
  readonly payment: Payment | undefined;
  readonly movements: readonly Movement[];
  readonly entries: readonly SettlementEntry[];
}

export interface DayRecords {
  readonly captures: readonly Payment[];
  readonly movements: readonly Movement[];
  readonly entries: readonly SettlementEntry[];
}

/** Pairs the records of a day. The result depends on the records alone, and not on their order. */
export function pairDay({ captures, movements, entries }: DayRecords): readonly StatementLine[] {
  const lines = new Map<string, StatementLine>();
  const add = (key: string, line: StatementLine) => {
    const before = lines.get(key);
    lines.set(key, before === undefined ? line : joined(before, line));
  };
  for (const payment of captures) add(...captureLine(payment));
  for (const movement of movements) add(keyOf(movement), movementLine(movement));
  for (const entry of entries) add(keyOf(entry), entryLine(entry));
  const ordered = [...lines].sort(([a, one], [b, other]) => one.at - other.at || (a < b ? -1 : 1));
  return ordered.map(([, line]) => line);
}

type Paired = Pick<SettlementEntry, 'kind' | 'subject' | 'paymentId' | 'currency'>;

/** A payment is captured once, so its own id names the capture. */
function keyOf({ kind, subject, paymentId, currency }: Paired): string {
  return JSON.stringify([kind, paymentId, kind === 'payment' ? '' : subject, currency]);
}

const nothingSettled = { processorFeeMinor: 0n, applicationFeeMinor: 0n, paid: [] } as const;

function captureLine(payment: Payment): readonly [key: string, line: StatementLine] {
  const { id: paymentId, reference: subject, currency, capturedMinor = 0n } = payment;
  const { capturedAt: at = payment.updatedAt, applicationFeeMinor: askedFeeMinor = 0n } = payment;
  const line: StatementLine = {
    kind: 'payment',
    paymentId,
    ...(subject !== undefined && { subject }),
    barberId: payment.appointment.barber.id,
    currency,
    at,
    lastAt: at,
    oursMinor: capturedMinor,
    tipMinor: tipIn(payment, capturedMinor),
    ...(payment.charge !== undefined && { purpose: payment.charge.purpose }),
    askedFeeMinor,
    ...nothingSettled,
  };
  return [keyOf({ kind: 'payment', paymentId, subject: '', currency }), line];
}

function movementLine(movement: Movement): StatementLine {
  const { kind, paymentId, subject, barberId, currency, amountMinor, tipMinor, at } = movement;
  const ours = { oursMinor: amountMinor, tipMinor, askedFeeMinor: 0n, ...nothingSettled };
  return { kind, paymentId, subject, barberId, currency, at, lastAt: at, ...ours };
}

function entryLine(entry: SettlementEntry): StatementLine {
  const { kind, paymentId, subject, currency, amountMinor, at, payoutId } = entry;
  const { processorFeeMinor, applicationFeeMinor } = entry;
  return {
    kind,
    paymentId,
    subject,
    currency,
    at,
    lastAt: at,
    tipMinor: 0n,
    askedFeeMinor: 0n,
    theirsMinor: amountMinor,
    processorFeeMinor,
    applicationFeeMinor,
    paid: payoutId === undefined ? [] : [{ payoutId, netMinor: netMinor(entry) }],
  };
}

function joined(a: StatementLine, b: StatementLine): StatementLine {
  const { subject = b.subject, barberId = b.barberId, purpose = b.purpose } = a;
  const oursMinor = added(a.oursMinor, b.oursMinor);
  const theirsMinor = added(a.theirsMinor, b.theirsMinor);
  return {
    kind: a.kind,
    paymentId: a.paymentId,
    ...(subject !== undefined && { subject }),
    ...(barberId !== undefined && { barberId }),
    currency: a.currency,
    at: Math.min(a.at, b.at),
    lastAt: Math.max(a.lastAt, b.lastAt),
    ...(oursMinor !== undefined && { oursMinor }),
    tipMinor: a.tipMinor + b.tipMinor,
    ...(purpose !== undefined && { purpose }),
    askedFeeMinor: a.askedFeeMinor + b.askedFeeMinor,
    ...(theirsMinor !== undefined && { theirsMinor }),
    processorFeeMinor: a.processorFeeMinor + b.processorFeeMinor,
    applicationFeeMinor: a.applicationFeeMinor + b.applicationFeeMinor,
    paid: joinedParts(a.paid, b.paid),
  };
}

function joinedParts(a: readonly PaidPart[], b: readonly PaidPart[]): readonly PaidPart[] {
  const parts = new Map<string, bigint>();
  for (const { payoutId, netMinor } of [...a, ...b]) {
    parts.set(payoutId, (parts.get(payoutId) ?? 0n) + netMinor);
  }
  const ordered = [...parts].sort(([one], [other]) => (one < other ? -1 : 1));
  return ordered.map(([payoutId, netMinor]) => ({ payoutId, netMinor }));
}

function added(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined ? b : a + (b ?? 0n);
}

export function agrees(line: StatementLine): boolean {
  return (line.oursMinor ?? 0n) === (line.theirsMinor ?? 0n) && !isOtherFee(line);
}

/** The processor decides how much of a fee a refund returns, so only a payment's fee is compared. */
function isOtherFee(line: StatementLine): boolean {
  const isCompared = line.kind === 'payment' && line.theirsMinor !== undefined;
  return isCompared && line.askedFeeMinor !== line.applicationFeeMinor;
}

/** Whether the line may still agree: the list was not read to its end yet. */
export function isAwaited({ oursMinor, lastAt }: StatementLine, readUntil: EpochMs): boolean {
  return oursMinor !== undefined && lastAt >= readUntil;
}

/** Why the two sides of a line differ. */
export function reasonOf(
  line: StatementLine,
  readUntil: EpochMs,
  trace: PaymentTrace | undefined,
): DifferenceReason | undefined {
  if (agrees(line)) return undefined;
  if (isAwaited(line, readUntil)) return 'notListedYet';
  const ours = oursOfAllDays(line, trace);
  const theirs = meantBy(line, trace?.entries ?? []);
  if (theirs.length === 0) return 'missingAtProcessor';
  if (ours.length === 0) return 'missingHere';
  if (!agreeOnce(ours, theirs, line.lastAt)) return 'otherAmount';
  // Of a payment on two days, neither line has both fees.
  const feeMinor = theirs.reduce((sum, entry) => sum + entry.applicationFeeMinor, 0n);
  const { applicationFeeMinor: askedMinor = 0n } = trace?.payment ?? {};
  const isOther = line.kind === 'payment' && feeMinor !== askedMinor;
  return isOther || line.oursMinor === line.theirsMinor ? 'otherFee' : 'otherDay';
}

type Amount = Pick<SettlementEntry, 'amountMinor' | 'at'>;

function oursOfAllDays(line: StatementLine, trace: PaymentTrace | undefined): readonly Amount[] {
  if (line.kind !== 'payment') return meantBy(line, trace?.movements ?? []);
  const { capturedAt: at, capturedMinor: amountMinor = 0n, currency } = trace?.payment ?? {};
  return at !== undefined && currency === line.currency ? [{ amountMinor, at }] : [];
}

function meantBy<T extends Paired>(line: StatementLine, records: readonly T[]): readonly T[] {
  const key = keyOf({ ...line, subject: line.subject ?? '' });
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
  if (payout.state === 'failed' || payout.state === 'canceled') return 'payoutFailed';
  const isSummed = payout.isItemized && payout.isRead;
  const isSum = payout.oursMinor + payout.othersMinor === payout.amountMinor;
  return isSummed && !isSum ? 'payoutDiffers' : undefined;
}

export function hasArrived({ state, arrivesAt }: Payout, now: EpochMs): boolean {
  return state === 'paid' && arrivesAt <= now;
}

export interface StatementSums {
  readonly currency: string;
  readonly barberId: string | undefined;
  payments: number;
  capturedMinor: bigint;
  /** The part of the captured amount that is tip. */
  tipsMinor: bigint;
  /** The part of the captured amount that is deposits. */
  depositsMinor: bigint;
  /** The part of the captured amount that is fees for missed visits. */
  noShowFeesMinor: bigint;
  /** The part of the refunded amount that is tip. */
  refundedTipsMinor: bigint;
  /** Given back on this day, less what came back because a refund failed. */
  refundedMinor: bigint;
  /** Withheld on this day, less what came back because a dispute was won. */
  disputedMinor: bigint;
  applicationFeesMinor: bigint;
  processorFeesMinor: bigint;
  /** By the processor, after fees. */
  settledMinor: bigint;
  /** The part of it that is at the bank. */
  arrivedMinor: bigint;
}

/** The sums of a day by barber and currency, or of the whole shop by currency. */
export function sumsOf(
  lines: readonly StatementLine[],
  by: (line: StatementLine) => string | undefined,
  isAtBank: (part: PaidPart) => boolean,
): readonly StatementSums[] {
  const sums = new Map<string, StatementSums>();
  for (const line of lines) {
    const barberId = by(line);
    const key = JSON.stringify([barberId, line.currency]);
    const into = sums.get(key) ?? noSums(line.currency, barberId);
    sums.set(key, into);
    addLine(into, line, isAtBank);
  }
  const ordered = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  return ordered.map(([, one]) => one);
}

function addLine(
  sums: StatementSums,
  line: StatementLine,
  isAtBank: (part: PaidPart) => boolean,
): void {
  const { kind, oursMinor = 0n, processorFeeMinor, applicationFeeMinor } = line;
  if (kind === 'payment') {
    sums.capturedMinor += oursMinor;
    sums.tipsMinor += line.tipMinor;
    if (line.purpose === 'deposit') sums.depositsMinor += oursMinor;
    else if (line.purpose === 'noShow') sums.noShowFeesMinor += oursMinor;
    if (line.oursMinor !== undefined) sums.payments += 1;
  } else if (kind === 'refund') {
    sums.refundedMinor -= oursMinor;
    sums.refundedTipsMinor -= line.tipMinor;
  } else sums.disputedMinor -= oursMinor;
  sums.applicationFeesMinor += kind === 'payment' ? line.askedFeeMinor : applicationFeeMinor;
  sums.processorFeesMinor += processorFeeMinor;
  sums.settledMinor += settledMinor(line);
  for (const part of line.paid) if (isAtBank(part)) sums.arrivedMinor += part.netMinor;
}

/** The amount that reaches the shop's balance, by the processor's entries; zero without any. */
export function settledMinor(line: StatementLine): bigint {
  return netMinor({ ...line, amountMinor: line.theirsMinor ?? 0n });
}

function noSums(currency: string, barberId: string | undefined): StatementSums {
  return {
    currency,
    barberId,
    payments: 0,
    capturedMinor: 0n,
    tipsMinor: 0n,
    depositsMinor: 0n,
    noShowFeesMinor: 0n,
    refundedTipsMinor: 0n,
    refundedMinor: 0n,
    disputedMinor: 0n,
    applicationFeesMinor: 0n,
    processorFeesMinor: 0n,
    settledMinor: 0n,
    arrivedMinor: 0n,
  };
}

/** `closed`: the figures of the day will not change; only its payouts still arrive. */
export type StatementState = 'open' | 'differs' | 'closed';

export function stateOf(
  { until }: Span,
  now: EpochMs,
  readUntil: EpochMs,
  reasons: readonly DifferenceReason[],
): StatementState {
  if (now < until || readUntil < until) return 'open';
  return reasons.every((reason) => reason === 'otherDay') ? 'closed' : 'differs';
}

export function barberName({ preferredName, givenName, surname }: BarberReference): string {
  return preferredName ?? `${givenName} ${surname}`;
}
