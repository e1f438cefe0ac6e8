import { type Appointment, type Ledger, paidOf } from '../host/appointment.ts';
import type { EpochMs } from '../values/time.ts';

export const chargePurposes = ['deposit', 'noShow'] as const;
/** Why a saved method is charged: before the visit, or after a missed one (D49). */
export type ChargePurpose = (typeof chargePurposes)[number];

export const chargeRefusals = ['customerMustAct', 'declined', 'methodGone'] as const;
/**
 * Why the customer's bank or the processor refused a charge (D49):
 * - `customerMustAct`: the bank wants the customer to authenticate, who is not there;
 * - `declined`: the bank declined the card;
 * - `methodGone`: the processor no longer has the method.
 */
export type ChargeRefusal = (typeof chargeRefusals)[number];

/** A payment with this member charges a saved method, without the card (D49). It never changes. */
export interface Charge {
  readonly purpose: ChargePurpose;
  /** The setup that collected the method. */
  readonly setupId: string;
  readonly customerId: string;
  /** The customer that the method's was merged into, and who has agreed since (D209). */
  readonly ownerId?: string;
  /** The customer saved the method for this appointment only, which must still name the setup. */
  readonly isForOneVisit?: true;
  /** The processor's ids of the setup and of the method. */
  readonly setupReference: string;
  readonly paymentMethod: string;
  /** When the customer agreed to be charged. */
  readonly agreedAt: EpochMs;
  /** The host's reference of the wording that the customer agreed to: evidence in a dispute. */
  readonly agreementRef: string;
}

/** Why a method may no longer be charged for an appointment (D49). */
export type OtherOwner = 'customerChanged' | 'setupChanged';

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

/** A payment, as far as its purpose is concerned. */
interface Charged {
  readonly charge?: Pick<Charge, 'purpose'> | undefined;
}

/**
 * The id of the ledger that a payment counts on. No-show fees have a ledger beside that of the amount
 * due. No appointment has its id, because ids of the host have no control characters (D1).
 */
export function ledgerIdOf({
  charge,
  appointment,
}: Charged & { readonly appointment: { readonly id: string } }): string {
  return charge?.purpose === 'noShow' ? `\u0001${appointment.id}` : appointment.id;
}

/**
 * The most that may be captured for a payment's purpose. A deposit is part of the amount due. A no-show
 * fee is due while the host says that the customer missed the visit (D49).
 */
export function dueMinorFor({ charge }: Charged, appointment: Appointment): bigint {
  if (charge?.purpose !== 'noShow') return appointment.amountDueMinor;
  return appointment.isMissed === true ? (appointment.noShowFeeMinor ?? 0n) : 0n;
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
  const paidMinor = paidOf(visit).in(currency);
  return amountDueMinor > 0n && paidMinor !== undefined && paidMinor >= amountDueMinor;
}
