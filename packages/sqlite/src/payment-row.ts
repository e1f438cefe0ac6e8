import { type Payment, packCard, packTimeline, unpackCard, unpackTimeline } from '@chairside/core';
import { fromInteger, toInteger } from './integer.ts';
import { toWork, type WorkRow } from './work-row.ts';

export interface PaymentRow extends WorkRow {
  readonly id: string;
  readonly appointment: string;
  readonly business_id: string;
  readonly account: string;
  readonly currency: string;
  readonly amount_minor: number;
  readonly created_at: number;
  readonly state: Payment['state'];
  readonly version: number;
  readonly client_secret: string | null;
  readonly reference: string | null;
  readonly card: string | null;
  readonly authorized_at: number | null;
  readonly captured_at: number | null;
  readonly expires_at: number;
  readonly updated_at: number;
  readonly reserved: number;
  readonly next_check_at: number | null;
  readonly checks: number;
  readonly review: string | null;
  readonly timeline: string;
}

export type Cell = string | number | null;
type Columns = Readonly<Record<string, (payment: Payment) => Cell>>;

/** What a payment was opened with: written once. */
const fixed: Columns = {
  id: (p) => p.id,
  appointment_id: (p) => p.appointment.id,
  appointment: (p) => JSON.stringify(p.appointment),
  business_id: (p) => p.businessId,
  account: (p) => p.account,
  currency: (p) => p.currency,
  amount_minor: (p) => toInteger(p.amountMinor),
  created_at: (p) => p.createdAt,
};

const changing: Columns = {
  state: (p) => p.state,
  version: (p) => p.version,
  client_secret: (p) => p.clientSecret ?? null,
  reference: (p) => p.reference ?? null,
  card: (p) => (p.card === undefined ? null : packCard(p.card)),
  authorized_at: (p) => p.authorizedAt ?? null,
  captured_at: (p) => p.capturedAt ?? null,
  expires_at: (p) => p.expiresAt,
  updated_at: (p) => p.updatedAt,
  reserved: (p) => (p.reserved ? 1 : 0),
  work_kind: (p) => p.work?.kind ?? null,
  work_cause: (p) => p.work?.cause ?? null,
  work_fence: (p) => p.work?.fence ?? null,
  work_attempt: (p) => p.work?.attempt ?? null,
  work_lease_until: (p) => p.work?.leaseUntil ?? null,
  next_check_at: (p) => p.nextCheckAt ?? null,
  checks: (p) => p.checks,
  review: (p) => p.review ?? null,
  timeline: (p) => packTimeline(p.timeline, p.createdAt),
};

export const paymentColumns = Object.keys({ ...fixed, ...changing });
export const changingColumns = Object.keys(changing);

const encodeAll = Object.values({ ...fixed, ...changing });
const encodeChanging = Object.values(changing);

/** The values of {@link paymentColumns}, in their order. */
export function paymentCells(payment: Payment): Cell[] {
  return encodeAll.map((encode) => encode(payment));
}

/** The values of {@link changingColumns}, in their order. */
export function changingCells(payment: Payment): Cell[] {
  return encodeChanging.map((encode) => encode(payment));
}

/** Throws where the row is corrupt. */
export function toPayment(row: PaymentRow): Payment {
  const payment: { -readonly [Member in keyof Payment]: Payment[Member] } = {
    id: row.id,
    appointment: JSON.parse(row.appointment),
    businessId: row.business_id,
    account: row.account,
    currency: row.currency,
    amountMinor: fromInteger(row.amount_minor),
    state: row.state,
    version: row.version,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    reserved: row.reserved === 1,
    checks: row.checks,
    timeline: unpackTimeline(row.timeline, row.created_at),
  };
  // Assigned one by one: spreading each of them is slower than reading the row.
  if (row.client_secret !== null) payment.clientSecret = row.client_secret;
  if (row.reference !== null) payment.reference = row.reference;
  if (row.card !== null) payment.card = unpackCard(row.card);
  if (row.authorized_at !== null) payment.authorizedAt = row.authorized_at;
  if (row.captured_at !== null) payment.capturedAt = row.captured_at;
  if (row.next_check_at !== null) payment.nextCheckAt = row.next_check_at;
  if (row.review !== null) payment.review = row.review;
  const work = toWork(row);
  if (work !== undefined) payment.work = work;
  return payment;
}
