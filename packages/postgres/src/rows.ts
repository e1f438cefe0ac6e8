import type {
  Appointment,
  Barber,
  Business,
  DomainEvent,
  EpochMs,
  FinancialAccount,
  KeyRecord,
  Ledger,
  MethodSetup,
  PayoutPreferences,
  PendingEvent,
  Review,
  Schedule,
  SweptAccount,
  Terminal,
} from '@chairside/core';
import { toMoney, toNumber } from './cell.ts';
import { toWork, type WorkRow } from './work-row.ts';

// One row type and its reading per table, as the members of the JSON that PostgreSQL sends.
// Reading throws where a row is corrupt.

export interface KeyRow {
  readonly subject: string;
  readonly key: string;
  readonly operation: KeyRecord['operation'];
  readonly fingerprint: string;
  readonly resource_id: string | null;
  readonly problem: string | null;
  readonly forget_at: number | null;
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
  readonly open_payments: number;
  readonly reserved_minor: string;
  readonly captured_minor: string;
  /** Counts only while the sums are not zero; an earlier version leaves it out. */
  readonly currency: string | null;
}

export function toLedger(row: LedgerRow): Ledger {
  const capturedMinor = toMoney(row.captured_minor);
  const reservedMinor = toMoney(row.reserved_minor);
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
  readonly created_at: number;
  readonly updated_at: number;
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

export interface AppointmentRow {
  readonly id: string;
  readonly business_id: string;
  readonly amount_due_minor: string;
  readonly reference: string;
}

export function toAppointment(row: AppointmentRow): Appointment {
  return {
    id: row.id,
    businessId: row.business_id,
    amountDueMinor: toMoney(row.amount_due_minor),
    reference: JSON.parse(row.reference),
  };
}

export interface BarberRow {
  readonly id: string;
  readonly business_id: string;
}

export function toBarber(row: BarberRow): Barber {
  return { id: row.id, businessId: row.business_id };
}

export interface BusinessRow {
  readonly id: string;
  readonly name: string;
  readonly account_id: string | null;
  readonly account_currency: string | null;
  readonly account_terminal_location: string | null;
}

export function toBusiness(row: BusinessRow): Business {
  const { account_id: id, account_currency: currency, account_terminal_location: location } = row;
  if (id === null) return { id: row.id, name: row.name };
  if (currency === null) throw new TypeError('A processor account has no currency');
  return {
    id: row.id,
    name: row.name,
    processorAccount: { id, currency, ...(location !== null && { terminalLocation: location }) },
  };
}

export interface EventRow {
  readonly subject: string;
  readonly version: number;
  readonly type: DomainEvent['type'];
  readonly occurred_at: number;
  readonly data: string;
  readonly attempts: number;
}

export function toPendingEvent(row: EventRow): PendingEvent {
  const { subject, type, data } = row;
  return {
    event: {
      subject,
      version: toNumber(row.version),
      type,
      occurredAt: toNumber(row.occurred_at),
      data: JSON.parse(data),
    },
    attempts: toNumber(row.attempts),
  };
}

export interface SetupRow extends WorkRow {
  readonly id: string;
  readonly customer_id: string;
  readonly save_payment_method: boolean;
  readonly version: number;
  readonly client_secret: string | null;
  readonly reference: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly outcome: NonNullable<MethodSetup['outcome']> | null;
  readonly next_check_at: number;
}

export function toSetup(row: SetupRow): MethodSetup {
  const work = toWork(row);
  return {
    id: row.id,
    customerId: row.customer_id,
    savePaymentMethod: row.save_payment_method,
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
  readonly reason: string;
  readonly account: string;
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly opened_at: number;
  readonly resolved_at: number | null;
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

export function toTime({ now }: { readonly now: number }): EpochMs {
  return toNumber(now);
}

export interface SweepRow {
  readonly account: string;
  readonly swept_before: number;
  readonly tried_at: number;
}

export function toSweptAccount(row: SweepRow): SweptAccount {
  return {
    account: row.account,
    sweptBefore: toNumber(row.swept_before),
    triedAt: toNumber(row.tried_at),
  };
}

export interface FinancialAccountRow {
  readonly id: string;
  readonly business_id: string;
  readonly bank_name: string;
  readonly masked_account_number: string;
  readonly currency: string;
  readonly is_default: boolean;
}

export function toFinancialAccount(row: FinancialAccountRow): FinancialAccount {
  return {
    id: row.id,
    businessId: row.business_id,
    bankName: row.bank_name,
    maskedAccountNumber: row.masked_account_number,
    currency: row.currency,
    isDefault: row.is_default,
  };
}

export interface ScheduleRow {
  readonly id: string;
  readonly barber_id: string;
  readonly name: string;
  readonly hours: string;
}

export function toSchedule(row: ScheduleRow): Schedule {
  return { id: row.id, barberId: row.barber_id, name: row.name, hours: JSON.parse(row.hours) };
}

export interface PayoutPreferencesRow {
  readonly business_id: string;
  readonly settings: string;
}

export function toPayoutPreferences(row: PayoutPreferencesRow): PayoutPreferences {
  return { businessId: row.business_id, settings: JSON.parse(row.settings) };
}
