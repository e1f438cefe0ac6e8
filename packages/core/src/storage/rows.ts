import type { Ledger } from '../domain/appointment.ts';
import type { DomainEvent } from '../domain/event.ts';
import type { KeyRecord } from '../domain/key-record.ts';
import type { MethodSetup } from '../domain/method-setup.ts';
import type { Review, ReviewReason } from '../domain/review.ts';
import type { SweptLedger } from '../domain/swept-ledger.ts';
import type { Terminal } from '../domain/terminal.ts';
import type { PendingEvent } from '../ports/store.ts';
import { type Flag, type Integer, type Minor, toMinor, toNumber } from './cell.ts';
import { toWork, type WorkRow } from './work-row.ts';

// One row type and its decoder for each table. Decoding throws for a corrupt row.

export interface KeyRow {
  readonly subject: string;
  readonly key: string;
  readonly operation: KeyRecord['operation'];
  readonly fingerprint: string;
  readonly resource_id: string | null;
  readonly problem: string | null;
  readonly forget_at: Integer | null;
}

export function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    subject: row.subject,
    key: row.key,
    operation: row.operation,
    fingerprint: row.fingerprint,
    ...(row.resource_id !== null && { resourceId: row.resource_id }),
    ...(row.problem !== null && { problem: JSON.parse(row.problem) }),
    ...(row.forget_at !== null && { forgetAt: toNumber(row.forget_at) }),
  };
}

export interface LedgerRow {
  readonly appointment_id: string;
  readonly open_payments: Integer;
  readonly reserved_minor: Minor;
  readonly captured_minor: Minor;
  /** Meaningless while the sums are zero; an earlier version omits it. */
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

export interface TerminalRow {
  readonly id: string;
  readonly device_identifier: string;
  readonly barber_id: string;
  readonly business_id: string;
  readonly platform: Terminal['platform'];
  readonly device_model: string | null;
  readonly os_version: string | null;
  readonly app_version: string | null;
  readonly terminal_sdk_version: string | null;
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

export function toTerminal(row: TerminalRow): Terminal {
  return {
    id: row.id,
    deviceIdentifier: row.device_identifier,
    barberId: row.barber_id,
    businessId: row.business_id,
    platform: row.platform,
    ...(row.device_model !== null && { deviceModel: row.device_model }),
    ...(row.os_version !== null && { osVersion: row.os_version }),
    ...(row.app_version !== null && { appVersion: row.app_version }),
    ...(row.terminal_sdk_version !== null && { terminalSdkVersion: row.terminal_sdk_version }),
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
  };
}

export interface EventRow {
  readonly subject: string;
  readonly version: Integer;
  readonly type: DomainEvent['type'];
  readonly occurred_at: Integer;
  readonly data: string;
  readonly attempts: Integer;
}

export function toPendingEvent(row: EventRow): PendingEvent {
  return {
    event: {
      subject: row.subject,
      version: toNumber(row.version),
      type: row.type,
      occurredAt: toNumber(row.occurred_at),
      data: JSON.parse(row.data),
    },
    attempts: toNumber(row.attempts),
  };
}

export interface SetupRow extends WorkRow {
  readonly id: string;
  readonly customer_id: string;
  readonly save_payment_method: Flag;
  readonly version: Integer;
  readonly client_secret: string | null;
  readonly reference: string | null;
  readonly created_at: Integer;
  readonly expires_at: Integer;
  readonly outcome: NonNullable<MethodSetup['outcome']> | null;
  readonly next_check_at: Integer;
}

export function toSetup(row: SetupRow): MethodSetup {
  const work = toWork(row);
  return {
    id: row.id,
    customerId: row.customer_id,
    savePaymentMethod: Boolean(row.save_payment_method),
    version: toNumber(row.version),
    ...(row.client_secret !== null && { clientSecret: row.client_secret }),
    ...(row.reference !== null && { reference: row.reference }),
    createdAt: toNumber(row.created_at),
    expiresAt: toNumber(row.expires_at),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(work !== undefined && { work }),
    nextCheckAt: toNumber(row.next_check_at),
  };
}

export interface ReviewRow {
  readonly id: string;
  readonly reason: ReviewReason;
  readonly account: string;
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly opened_at: Integer;
  readonly resolved_at: Integer | null;
  readonly note: string | null;
}

export function toReview(row: ReviewRow): Review {
  return {
    id: row.id,
    reason: row.reason,
    account: row.account,
    ...(row.payment_id !== null && { paymentId: row.payment_id }),
    ...(row.reference !== null && { reference: row.reference }),
    openedAt: toNumber(row.opened_at),
    ...(row.resolved_at !== null && { resolvedAt: toNumber(row.resolved_at) }),
    ...(row.note !== null && { note: row.note }),
  };
}

export interface SweepRow {
  /** The name of the ledger, which is an account's own in most cases. */
  readonly account: string;
  readonly swept_before: Integer;
  readonly tried_at: Integer;
}

export function toSweptLedger(row: SweepRow): SweptLedger {
  return {
    ledger: row.account,
    sweptBefore: toNumber(row.swept_before),
    triedAt: toNumber(row.tried_at),
  };
}
