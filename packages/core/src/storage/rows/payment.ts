import type { Ledger } from '../../domain/appointment.ts';
import type { Payment, PaymentDraft } from '../../domain/payment.ts';
import {
  columnsOf,
  type Encoders,
  type Integer,
  type Minor,
  type RowOf,
  toMinor,
  toNumber,
} from './columns.ts';
import { packCard, packTimeline, unpackCard, unpackTimeline } from './compact.ts';
import { toWork, workEncoders } from './work.ts';

/** Columns that are written once, when the payment begins. */
const fixed = {
  id: (p) => p.id,
  appointment_id: (p) => p.appointment.id,
  appointment: (p) => JSON.stringify(p.appointment),
  business_id: (p) => p.businessId,
  account: (p) => p.account,
  currency: (p) => p.currency,
  amount_minor: (p) => p.amountMinor,
  tip_minor: (p) => p.tipMinor,
  created_at: (p) => p.createdAt,
  application_fee_minor: (p) => p.applicationFeeMinor,
  charge: (p) => p.charge && JSON.stringify(p.charge),
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
  timeline: (p) => packTimeline(p.timeline, p.createdAt),
} satisfies Encoders<Payment>;

export type PaymentRow = RowOf<typeof fixed & typeof changing>;
export const paymentColumns = columnsOf<Payment>({ ...fixed, ...changing });
export const changingColumns = columnsOf<Payment>(changing);

/** Throws for a corrupt row. */
export function toPayment(row: PaymentRow): Payment {
  const createdAt = toNumber(row.created_at);
  const payment: PaymentDraft = {
    id: row.id,
    appointment: JSON.parse(row.appointment),
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
  if (row.next_check_at !== null) payment.nextCheckAt = toNumber(row.next_check_at);
  if (row.review !== null) payment.review = row.review;
  const work = toWork(row);
  if (work !== undefined) payment.work = work;
  return payment;
}

export interface LedgerRow {
  readonly appointment_id: string;
  readonly open_payments: Integer;
  readonly reserved_minor: Minor;
  readonly captured_minor: Minor;
  /** Absent until the first move; meaningless while the sums are zero. */
  readonly currency: string | null;
}

export function toLedger(row: LedgerRow): Ledger {
  const capturedMinor = toMinor(row.captured_minor);
  const reservedMinor = toMinor(row.reserved_minor);
  return {
    appointmentId: row.appointment_id,
    capturedMinor,
    reservedMinor,
    openPayments: toNumber(row.open_payments),
    ...(row.currency !== null &&
      capturedMinor + reservedMinor !== 0n && { currency: row.currency }),
  };
}
