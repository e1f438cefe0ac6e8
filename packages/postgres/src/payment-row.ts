import { type Payment, packCard, packTimeline, unpackCard, unpackTimeline } from '@chairside/core';
import { type Cell, toMoney, toNumber } from './cell.ts';
import { toWork, type WorkRow } from './work-row.ts';

export interface PaymentRow extends WorkRow {
  readonly id: string;
  readonly appointment: string;
  readonly business_id: string;
  readonly account: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly created_at: string;
  readonly state: Payment['state'];
  readonly version: string;
  readonly client_secret: string | null;
  readonly reference: string | null;
  readonly card: string | null;
  readonly authorized_at: string | null;
  readonly captured_at: string | null;
  readonly expires_at: string;
  readonly updated_at: string;
  readonly reserved: 't' | 'f';
  readonly next_check_at: string | null;
  readonly checks: string;
  readonly review: string | null;
  readonly timeline: string;
}

type Columns = Readonly<Record<string, (payment: Payment) => Cell>>;

/** What names a payment, and what it was opened with: written once. */
const fixed: Columns = {
  id: (p) => p.id,
  appointment_id: (p) => p.appointment.id,
  appointment: (p) => JSON.stringify(p.appointment),
  business_id: (p) => p.businessId,
  account: (p) => p.account,
  currency: (p) => p.currency,
  amount_minor: (p) => p.amountMinor,
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
  reserved: (p) => p.reserved,
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
  const work = toWork(row);
  return {
    id: row.id,
    appointment: JSON.parse(row.appointment),
    businessId: row.business_id,
    account: row.account,
    currency: row.currency,
    amountMinor: toMoney(row.amount_minor),
    state: row.state,
    version: toNumber(row.version),
    ...(row.client_secret !== null && { clientSecret: row.client_secret }),
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.card !== null && { card: unpackCard(row.card) }),
    ...(row.authorized_at !== null && { authorizedAt: toNumber(row.authorized_at) }),
    ...(row.captured_at !== null && { capturedAt: toNumber(row.captured_at) }),
    expiresAt: toNumber(row.expires_at),
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
    reserved: row.reserved === 't',
    ...(work !== undefined && { work }),
    ...(row.next_check_at !== null && { nextCheckAt: toNumber(row.next_check_at) }),
    checks: toNumber(row.checks),
    ...(row.review !== null && { review: row.review }),
    timeline: unpackTimeline(row.timeline, toNumber(row.created_at)),
  };
}
