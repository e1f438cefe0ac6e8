import type { Ledger } from '../host/host.ts';
import { packReference, unpackReference } from '../host/row.ts';
import {
  columnsOf,
  type Encoders,
  fromDocument,
  type Integer,
  type Minor,
  type RowOf,
  tableOf,
  toDocument,
  toMinor,
  toNumber,
  toWork,
  workEncoders,
} from '../storage/columns.ts';
import type { EpochMs } from '../values/time.ts';
import type { Card, Payment, PaymentDraft, TimelineEntry } from './payment.ts';

/** Columns that are written once, when the payment begins. */
const fixed = {
  id: (p) => p.id,
  appointment_id: (p) => p.appointment.id,
  appointment: (p) => packReference(p.appointment),
  business_id: (p) => p.businessId,
  account: (p) => p.account,
  currency: (p) => p.currency,
  amount_minor: (p) => p.amountMinor,
  tip_minor: (p) => p.tipMinor,
  created_at: (p) => p.createdAt,
  application_fee_minor: (p) => p.applicationFeeMinor,
  charge: (p) => p.charge && JSON.stringify(p.charge),
  customer_id: (p) => p.customerId,
} satisfies Encoders<Payment>;

const changing = {
  state: (p) => p.state,
  version: (p) => p.version,
  client_secret: (p) => p.clientSecret,
  reference: (p) => p.reference,
  card: (p) => p.card && packCard(p.card),
  authorized_at: (p) => p.authorizedAt,
  captured_at: (p) => p.capturedAt,
  captured_minor: (p) => p.capturedMinor,
  expires_at: (p) => p.expiresAt,
  updated_at: (p) => p.updatedAt,
  reserved: (p) => p.reserved,
  ...workEncoders,
  next_check_at: (p) => p.nextCheckAt,
  checks: (p) => p.checks,
  review: (p) => p.review,
  shares: (p) => p.shares && toDocument(p.shares),
  timeline: (p) => packTimeline(p.timeline, p.createdAt),
} satisfies Encoders<Payment>;

type PaymentRow = RowOf<typeof fixed & typeof changing>;
export const paymentTable = tableOf({ ...fixed, ...changing }, toPayment);
export const changingColumns = columnsOf<Payment>(changing);

/** Throws for a corrupt row. */
function toPayment(row: PaymentRow): Payment {
  const createdAt = toNumber(row.created_at);
  const payment: PaymentDraft = {
    id: row.id,
    appointment: unpackReference(row.appointment_id, row.appointment),
    businessId: row.business_id,
    account: row.account,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    state: row.state,
    version: toNumber(row.version),
    expiresAt: toNumber(row.expires_at),
    createdAt,
    updatedAt: toNumber(row.updated_at),
    reserved: Boolean(row.reserved),
    checks: toNumber(row.checks),
    timeline: unpackTimeline(row.timeline, createdAt),
  };
  // Assigned one by one, because spreading them takes longer than reading the row.
  if (row.tip_minor !== null) payment.tipMinor = toMinor(row.tip_minor);
  if (row.client_secret !== null) payment.clientSecret = row.client_secret;
  if (row.reference !== null) payment.reference = row.reference;
  if (row.card !== null) payment.card = unpackCard(row.card);
  if (row.authorized_at !== null) payment.authorizedAt = toNumber(row.authorized_at);
  if (row.captured_at !== null) payment.capturedAt = toNumber(row.captured_at);
  if (row.captured_minor !== null) payment.capturedMinor = toMinor(row.captured_minor);
  if (row.application_fee_minor !== null) {
    payment.applicationFeeMinor = toMinor(row.application_fee_minor);
  }
  if (row.charge !== null) payment.charge = JSON.parse(row.charge);
  if (row.customer_id !== null) payment.customerId = row.customer_id;
  if (row.next_check_at !== null) payment.nextCheckAt = toNumber(row.next_check_at);
  if (row.review !== null) payment.review = row.review;
  if (row.shares !== null) payment.shares = fromDocument(row.shares);
  const work = toWork(row);
  if (work !== undefined) payment.work = work;
  return payment;
}

interface LedgerRow {
  readonly appointment_id: string;
  readonly open_payments: Integer;
  readonly reserved_minor: Minor;
  readonly captured_minor: Minor;
  readonly tendered_minor: Minor;
  readonly tips_minor: Minor;
  /** Absent until the first move; meaningless while the sums are zero. */
  readonly currency: string | null;
  readonly charge_id: string | null;
}

export function toLedger(row: LedgerRow): Ledger {
  const capturedMinor = toMinor(row.captured_minor);
  const reservedMinor = toMinor(row.reserved_minor);
  const tenderedMinor = toMinor(row.tendered_minor);
  const tipsMinor = toMinor(row.tips_minor);
  return {
    appointmentId: row.appointment_id,
    capturedMinor,
    reservedMinor,
    ...(tenderedMinor !== 0n && { tenderedMinor }),
    ...(tipsMinor !== 0n && { tipsMinor }),
    openPayments: toNumber(row.open_payments),
    ...(row.currency !== null &&
      capturedMinor + reservedMinor + tenderedMinor !== 0n && { currency: row.currency }),
    ...(row.charge_id !== null && { chargeId: row.charge_id }),
  };
}

/**
 * Compact texts for a payment's card and timeline in a store: JSON without the member names, which
 * would be most of the text. Decoding throws for corrupt text.
 */

type CompactCard = readonly [
  maskedPersonalAccountNumber: string,
  network: Card['network'],
  fundingType: Card['fundingType'],
  expirationMonth: string,
  expirationYear: string,
  tokenizationMethod?: NonNullable<Card['tokenizationMethod']>,
];

export function packCard(card: Card): string {
  const { maskedPersonalAccountNumber, network, fundingType, tokenizationMethod } = card;
  const { expirationMonth, expirationYear } = card;
  const wallet = tokenizationMethod === undefined ? ([] as const) : ([tokenizationMethod] as const);
  const compact: CompactCard = [
    maskedPersonalAccountNumber,
    network,
    fundingType,
    expirationMonth,
    expirationYear,
    ...wallet,
  ];
  return JSON.stringify(compact);
}

export function unpackCard(text: string): Card {
  const compact: CompactCard = JSON.parse(text);
  const [maskedPersonalAccountNumber, network, fundingType, month, year, wallet] = compact;
  return {
    maskedPersonalAccountNumber,
    network,
    fundingType,
    expirationMonth: month,
    expirationYear: year,
    ...(wallet !== undefined && { tokenizationMethod: wallet }),
  };
}

/** The time is relative to the payment's creation. */
type CompactEntry = readonly [
  deltaMs: number,
  what: string,
  cause: string,
  actor?: number,
  requestId?: string,
];

export function packTimeline(timeline: readonly TimelineEntry[], createdAt: EpochMs): string {
  return JSON.stringify(
    timeline.map(({ at, what, cause, actor, requestId }): CompactEntry => {
      if (actor === undefined) return [at - createdAt, what, cause];
      if (requestId === undefined) return [at - createdAt, what, cause, actor];
      return [at - createdAt, what, cause, actor, requestId];
    }),
  );
}

export function unpackTimeline(text: string, createdAt: EpochMs): TimelineEntry[] {
  const entries: readonly CompactEntry[] = JSON.parse(text);
  // By index, because destructuring an array runs its iterator.
  return entries.map((entry) => {
    const line = { at: createdAt + entry[0], what: entry[1], cause: entry[2] };
    if (entry[3] === undefined) return line;
    const acted = { ...line, actor: entry[3] };
    return entry[4] === undefined ? acted : { ...acted, requestId: entry[4] };
  });
}
