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
  readonly reserved: boolean;
  readonly next_check_at: number | null;
  readonly checks: number;
  readonly review: string | null;
  readonly timeline: string;
}

/** In the order of the table's columns. */
export function paymentCells(p: Payment): readonly (Cell | undefined)[] {
  return [
    // What it was opened with. Never changes.
    p.id,
    p.appointment.id,
    JSON.stringify(p.appointment),
    p.businessId,
    p.account,
    p.currency,
    p.amountMinor,
    p.createdAt,
    // What changes.
    p.state,
    p.version,
    p.clientSecret,
    p.reference,
    p.card && packCard(p.card),
    p.authorizedAt,
    p.capturedAt,
    p.expiresAt,
    p.updatedAt,
    p.reserved,
    p.work?.kind,
    p.work?.cause,
    p.work?.fence,
    p.work?.attempt,
    p.work?.leaseUntil,
    p.nextCheckAt,
    p.checks,
    p.review,
    packTimeline(p.timeline, p.createdAt),
  ];
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
    reserved: row.reserved,
    ...(work !== undefined && { work }),
    ...(row.next_check_at !== null && { nextCheckAt: toNumber(row.next_check_at) }),
    checks: toNumber(row.checks),
    ...(row.review !== null && { review: row.review }),
    timeline: unpackTimeline(row.timeline, toNumber(row.created_at)),
  };
}
