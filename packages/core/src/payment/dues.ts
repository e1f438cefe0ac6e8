import { dueMinorFor, isVisitPaid, type OtherOwner, whyOtherOwner } from '../charge/charge.ts';
import { type Appointment, committedOf, type Ledger } from '../host/appointment.ts';
import type { Business } from '../host/business.ts';
import { Money } from '../values/money.ts';
import type { Payment } from './payment.ts';
import { owedMinor } from './tip.ts';

/** The stored records that decide whether a payment may be captured. */
export interface Dues {
  /** Absent if the host has removed it: then it owes no money. */
  readonly appointment: Appointment | undefined;
  /** The appointment's business, which determines the currency of the amount due. */
  readonly business: Business | undefined;
  readonly ledger: Ledger;
  /** The ledger of the visit itself, if the payment is the fee for missing it. */
  readonly visit?: Ledger | undefined;
  /** The other visits that the payment pays, with what they owe (D208). */
  readonly others?: readonly OtherDues[];
}

/** Another visit that a payment pays. */
export interface OtherDues extends Pick<Dues, 'appointment' | 'business' | 'ledger'> {
  readonly appointmentId: string;
}

export type Undue =
  | 'appointmentGone'
  | 'currencyChanged'
  | 'exceedsRemainingBalance'
  | 'visitPaid'
  | OtherOwner;

/** Why a payment must not be captured, and the other visit that it is about, if it is about one. */
export interface UndueVisit {
  readonly why: Undue;
  readonly appointmentId?: string;
}

/**
 * Compares a payment whose amount is reserved with the amount due, for each visit that it pays. `undefined`: it
 * may be captured (D13, D208).
 */
export function undueVisit(payment: Payment, dues: Dues): UndueVisit | undefined {
  const why = whyUndue(payment, dues);
  if (why !== undefined) return { why };
  for (const { appointmentId, ...other } of dues.others ?? []) {
    const otherWhy = whyUndue(payment, other);
    if (otherWhy !== undefined) return { why: otherWhy, appointmentId };
  }
  return undefined;
}

/** Compares a payment with what one of its visits owes. */
export function whyUndue(payment: Payment, dues: Dues): Undue | undefined {
  const { appointment, business, ledger, visit } = dues;
  if (appointment === undefined) return 'appointmentGone';
  if (payment.charge !== undefined) {
    const otherOwner = whyOtherOwner(appointment, payment.charge);
    if (otherOwner !== undefined) return otherOwner;
  }
  const { currency } = payment;
  const dueMinor = dueOf(payment, appointment, business).in(currency);
  const committedMinor = committedOf(ledger).in(currency);
  if (dueMinor === undefined || committedMinor === undefined) return 'currencyChanged';
  if (visit !== undefined && isVisitPaid(appointment, visit, currency)) return 'visitPaid';
  // A tip alone pays nothing that is owed, also where less is due by now (D48).
  if (owedMinor(payment) === 0n) return undefined;
  // Hosts without types may give an amount that is not a bigint, so only a true comparison counts.
  return committedMinor <= dueMinor ? undefined : 'exceedsRemainingBalance';
}

/**
 * What is due for the payment's purpose, in the currency of the appointment's present business (D39). A
 * business without an account has none yet.
 */
export function dueOf(
  payment: Payment,
  appointment: Appointment,
  business: Business | undefined,
): Money {
  return new Money(dueMinorFor(payment, appointment), business?.processorAccount?.currency);
}
