import type { Charge, Charged, OtherOwner } from '../charge/charge.ts';
import { type Appointment, type Business, committedOf, type Ledger, paidOf } from '../host/host.ts';
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
  /** The other visits that the payment pays, with what they owe. */
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

/** Why a payment is released, and the other visit that it is about, if it is about one. */
export interface Released {
  readonly why: Undue | 'differsAtProcessor';
  readonly appointmentId?: string | undefined;
}

/**
 * Compares a payment whose amount is reserved with the amount due, for each visit that it pays. `undefined`: it
 * may be captured (D13, D208).
 */
export function undueVisit(payment: Payment, dues: Dues): Released | undefined {
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
  // A charge that a backup lacked has lost its customer (D210).
  if (payment.charge !== undefined && payment.charge.customerId !== '') {
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
 * What is due for the payment's purpose, in the currency of the appointment's present business. A
 * business without an account has none yet.
 */
export function dueOf(
  payment: Payment,
  appointment: Appointment,
  business: Business | undefined,
): Money {
  return new Money(dueMinorFor(payment, appointment), business?.processorAccount?.currency);
}

/**
 * The most that may be captured for a payment's purpose. A deposit is part of the amount due. A no-show
 * fee is due while the host says that the customer missed the visit.
 */
export function dueMinorFor({ charge }: Charged, appointment: Appointment): bigint {
  if (charge?.purpose !== 'noShow') return appointment.amountDueMinor;
  return appointment.isMissed === true ? (appointment.noShowFeeMinor ?? 0n) : 0n;
}

/**
 * Compares an appointment's present customer with the method's. A method for one visit must also be the
 * appointment's own. `undefined`: the method may be charged.
 */
export function whyOtherOwner(
  { customerId, paymentMethodSetupId }: Pick<Appointment, 'customerId' | 'paymentMethodSetupId'>,
  method: Pick<Charge, 'setupId' | 'customerId' | 'ownerId' | 'isForOneVisit'>,
): OtherOwner | undefined {
  const isUnnamed = customerId === undefined && method.isForOneVisit === true;
  const { ownerId = method.customerId } = method;
  if (!isUnnamed && customerId !== ownerId) return 'customerChanged';
  const isOther = method.isForOneVisit === true && paymentMethodSetupId !== method.setupId;
  return isOther ? 'setupChanged' : undefined;
}

/**
 * Whether the visit itself has been paid, so that no fee for missing it is due (D49). A visit that costs
 * nothing cannot be paid. Amounts in two currencies cannot be compared.
 */
export function isVisitPaid(
  { amountDueMinor }: Pick<Appointment, 'amountDueMinor'>,
  visit: Ledger,
  currency: string,
): boolean {
  const paidMinor = paidOf(visit).in(currency) ?? 0n;
  return amountDueMinor > 0n && paidMinor >= amountDueMinor;
}
