import { between } from '../values/bounds.ts';
import { decimalsOf, Money } from '../values/money.ts';
import type { EpochMs } from '../values/time.ts';

// The records that the host keeps, as Chairside reads them, and the sums over an appointment's payments.

/** A barber's public profile, as shown with an appointment. */
export interface BarberReference {
  readonly id: string;
  readonly givenName: string;
  readonly surname: string;
  readonly preferredName?: string;
  readonly biography?: string;
  readonly spokenLanguages?: string[];
  /** Years, 0 to 100. */
  readonly experience?: number;
  readonly instagram?: string;
  readonly urlSlug?: string;
  readonly profileImage_URL?: string;
}

export function barberName({ preferredName, givenName, surname }: BarberReference): string {
  return preferredName ?? `${givenName} ${surname}`;
}

/** The place of an appointment, as a payment keeps it. */
export interface ShopLocationReference {
  readonly id: string;
  readonly name: string;
  readonly shopName: string;
}

/**
 * The appointment as a payment shows it. A payment keeps the reference that it was opened with, so
 * that it stays readable after the appointment is removed.
 */
export interface AppointmentReference {
  readonly id: string;
  /** RFC 3339, UTC. */
  readonly occursOn: string;
  readonly timeZone?: string | null;
  readonly barber: BarberReference;
  readonly location: ShopLocationReference;
}

/** Copies the members above and no others: a host's record of a barber may hold private ones. */
export function snapshotOf(reference: AppointmentReference): AppointmentReference {
  const { id, occursOn, timeZone, barber, location } = reference;
  const { name, shopName } = location;
  return {
    id,
    occursOn,
    ...(timeZone !== undefined && { timeZone }),
    barber: profileOf(barber),
    location: { id: location.id, name, shopName },
  };
}

/** `null` is how a database says that a member is absent. */
export function profileOf(barber: BarberReference): BarberReference {
  const { id, givenName, surname, preferredName, biography, spokenLanguages } = barber;
  const { experience, instagram, urlSlug, profileImage_URL } = barber;
  return {
    id,
    givenName,
    surname,
    ...(preferredName != null && { preferredName }),
    ...(biography != null && { biography }),
    ...(spokenLanguages != null && { spokenLanguages }),
    ...(experience != null && { experience }),
    ...(instagram != null && { instagram }),
    ...(urlSlug != null && { urlSlug }),
    ...(profileImage_URL != null && { profileImage_URL }),
  };
}

/**
 * An appointment as the host gives it: to `records.putAppointment`, or from its own database by
 * `store.appointments.get`.
 */
export interface Appointment extends AppointmentReference {
  /** The business whose processor account and currency its payments use. */
  readonly businessId: string;
  /**
   * The total that the host asks for in minor units. Chairside subtracts captured amounts, without the
   * tips of payments, and what was paid without a card.
   */
  readonly amountDueMinor: bigint;
  /** The customer, whose saved methods may be charged for it. */
  readonly customerId?: string;
  /** The setup whose method was collected for this appointment alone. */
  readonly paymentMethodSetupId?: string;
  /** The fee for a missed visit that the customer was shown, in minor units. */
  readonly noShowFeeMinor?: bigint;
  /** Whether the customer missed the visit. Only then is the fee due. */
  readonly isMissed?: boolean;
  /**
   * The payments of an earlier customer and day are for this visit: a mother paid the deposit, and her son
   * comes. Without it, a create at an id that is used again is refused.
   */
  readonly sameVisit?: boolean;
}

/**
 * Copies the members above from a row of a host's own database, where absent members may be `null`, and SQLite has no
 * booleans.
 */
export function tidyAppointment(row: Appointment): Appointment {
  const { id, businessId, amountDueMinor, occursOn, timeZone, barber, location } = row;
  const { customerId, paymentMethodSetupId, noShowFeeMinor, isMissed, sameVisit } = row;
  return {
    id,
    businessId,
    amountDueMinor,
    occursOn,
    ...(timeZone !== undefined && { timeZone }),
    barber,
    location,
    ...(customerId != null && { customerId }),
    ...(paymentMethodSetupId != null && { paymentMethodSetupId }),
    ...(noShowFeeMinor != null && { noShowFeeMinor }),
    ...(isMissed != null && { isMissed: toBoolean(isMissed) }),
    ...(sameVisit != null && { sameVisit: toBoolean(sameVisit) }),
  };
}

const bits: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [0, false],
  [1, true],
]);

function toBoolean(given: boolean): boolean {
  return bits.get(given) ?? given;
}

/** Copies what a payment takes from a row of a host's own database. */
export function tidyBusiness({
  id,
  name,
  processorAccount: account,
  applicationFee: fee,
}: Business): Business {
  return {
    id,
    name,
    ...(account != null && { processorAccount: { id: account.id, currency: account.currency } }),
    ...(fee != null && { applicationFee: tidyFee(fee) }),
  };
}

function tidyFee({
  fixedMinor,
  currency,
  basisPoints,
  includesTip,
}: ApplicationFee): ApplicationFee {
  return {
    ...(fixedMinor != null && { fixedMinor }),
    ...(currency != null && { currency }),
    ...(basisPoints != null && { basisPoints }),
    ...(includesTip != null && { includesTip: toBoolean(includesTip) }),
  };
}

/** Chairside's own sums over an appointment's payments. */
export interface Ledger {
  readonly appointmentId: string;
  readonly capturedMinor: bigint;
  /** Held by captures that may have been sent and have no known outcome yet. */
  readonly reservedMinor: bigint;
  /** Paid without a card, less what was voided. Absent while it is zero. */
  readonly tenderedMinor?: bigint;
  /** The tips beside the sums above, captured or reserved. Absent while they are zero. */
  readonly tipsMinor?: bigint;
  /** The currency of these sums; absent while all are zero. */
  readonly currency?: string;
  /** Payments that are neither captured nor canceled. */
  readonly openPayments: number;
  /** The charge of a saved method that holds the ledger's one slot. */
  readonly chargeId?: string;
}

/** At most this many payments of one appointment are open at once. */
export const maxOpenPayments = 50;

/** The ledger of an appointment without payments. */
export function emptyLedger(appointmentId: string): Ledger {
  return { appointmentId, capturedMinor: 0n, reservedMinor: 0n, openPayments: 0 };
}

/** What has been paid, by card or without one. */
export function paidOf({ capturedMinor, tenderedMinor = 0n, currency }: Ledger): Money {
  return new Money(capturedMinor + tenderedMinor, currency);
}

/** What has been paid, or may be taken yet. */
export function committedOf(ledger: Ledger): Money {
  const { capturedMinor, reservedMinor, tenderedMinor = 0n, currency } = ledger;
  return new Money(capturedMinor + reservedMinor + tenderedMinor, currency);
}

/**
 * The remaining balance of the appointment in a currency. Negative if the host lowered the amount
 * due; `undefined` if it was paid in another currency.
 */
export function remainingMinor(
  { amountDueMinor }: Pick<Appointment, 'amountDueMinor'>,
  ledger: Ledger,
  currency: string,
): bigint | undefined {
  const paidMinor = paidOf(ledger).in(currency);
  return paidMinor === undefined ? undefined : amountDueMinor - paidMinor;
}

/** The remaining balance in the business's currency or, where that is gone, in the currency that was paid. */
export function leftMinorAt(
  business: Business | undefined,
  appointment: Appointment,
  ledger: Ledger,
): bigint | undefined {
  const { currency = ledger.currency ?? '' } = business?.processorAccount ?? {};
  return remainingMinor(appointment, ledger, currency);
}

/** The account that receives a business's card payments. */
export interface ProcessorAccount {
  /** The processor's id of the account. */
  readonly id: string;
  /** ISO 4217, lower case, with two decimals. */
  readonly currency: string;
  /** The processor's id of the terminals' location, for processors that require one. */
  readonly terminalLocation?: string;
}

/** A business with its account at the processor and its terms. */
export interface Business {
  readonly id: string;
  readonly name: string;
  /** Absent until the business has set up card payments: 422 `paymentProviderNotSetup`. */
  readonly processorAccount?: ProcessorAccount;
  /** The platform's fee for each of its payments. */
  readonly applicationFee?: ApplicationFee;
  readonly refundPolicy?: RefundPolicy;
  /**
   * The accounts that it used before: their entries and payouts belong to its statements. `putBusiness`
   * adds an account that is replaced, and forgets none.
   */
  readonly earlierAccounts?: readonly EarlierAccount[];
  /**
   * When the present account replaced another: days before do not wait for it. Absent if it was used before.
   * `putBusiness` sets it.
   */
  readonly accountChangedAt?: EpochMs;
}

/** An account that a business used before. */
export interface EarlierAccount {
  /** The processor's id of the account. */
  readonly id: string;
  /**
   * RFC 3339, UTC. From then on no day waits for its entries, because the processor does not show them any more.
   * A person says so, once.
   */
  readonly retiredAt?: string;
}

/** A business remembers this many earlier accounts. */
export const maxEarlierAccounts = 100;

/** The record with the accounts that it used before. */
export function withEarlierAccounts(
  business: Business,
  before: Business | undefined,
  now: EpochMs,
): Business {
  const { earlierAccounts: given = [], accountChangedAt: _given, ...rest } = business;
  const present = business.processorAccount?.id;
  const replaced = before?.processorAccount?.id;
  const accounts = new Map<string, EarlierAccount>();
  const known = replaced === undefined ? [] : [{ id: replaced }];
  for (const one of [...(before?.earlierAccounts ?? []), ...known, ...given]) {
    if (one.id !== present) accounts.set(one.id, { ...accounts.get(one.id), ...one });
  }
  const hadOne = replaced !== undefined || before?.earlierAccounts !== undefined;
  const isChanged = hadOne && present !== undefined && replaced !== present;
  // Days from before the change may have entries of an account that has come back.
  const isBack = before?.earlierAccounts?.some(({ id }) => id === present) === true;
  const changedAt = isBack ? undefined : isChanged ? now : before?.accountChangedAt;
  const earlierAccounts = [...accounts.values()].slice(-maxEarlierAccounts);
  return {
    ...rest,
    ...(earlierAccounts.length > 0 && { earlierAccounts }),
    ...(changedAt !== undefined && { accountChangedAt: changedAt }),
  };
}

/** The default for refunds of its payments: the parts of the fee and the transfer to take back. */
export interface RefundPolicy {
  /** The platform's fee goes back in proportion, with the transfer: it needs `reversesTransfer` too. */
  readonly returnsFee: boolean;
  /** The transfer to the business is reversed, where the platform was charged. */
  readonly reversesTransfer: boolean;
}

/** A bank account for a business's payouts. */
export interface FinancialAccount {
  readonly id: string;
  readonly businessId: string;
  readonly bankName: string;
  /** An asterisk and the last four characters of the account number. */
  readonly maskedAccountNumber: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Payouts go to this account; it cannot be removed. */
  readonly isDefault: boolean;
}

/** A barber. Chairside needs only the employer. */
export interface Barber {
  readonly id: string;
  readonly businessId: string;
}

/** The account that card payments go to, if the business has a usable one. */
export function paymentAccount(business: Business | undefined): ProcessorAccount | undefined {
  const account = business?.processorAccount;
  // A host's own database may return `null`.
  return account != null && hasTwoDecimals(account.currency) ? account : undefined;
}

/** Whether amounts in this currency have exactly two decimals. */
export function hasTwoDecimals(currency: string): boolean {
  return typeof currency === 'string' && /^[a-z]{3}$/.test(currency) && decimalsOf(currency) === 2;
}

/** The platform's fee for each payment of a business. */
export interface ApplicationFee {
  /** Minor units of each payment. */
  readonly fixedMinor?: bigint;
  /** The currency of `fixedMinor`: ISO 4217, lower case. */
  readonly currency?: string;
  /** Hundredths of a percent of the amount, 0 to 10,000. */
  readonly basisPoints?: number;
  /** Whether the fee counts the tip too. Default: the amount without the tip. */
  readonly includesTip?: boolean;
}

const wholeBasisPoints = 10_000n;

/**
 * The fee of a payment: the fixed part plus the share, rounded half up, at most the payment's
 * amount. Absent if it is zero. `otherCurrency`: the fixed part has another currency.
 */
export function feeOf(
  fee: ApplicationFee | undefined,
  amountMinor: bigint,
  currency: string,
): bigint | 'otherCurrency' | undefined {
  if (fee === undefined) return undefined;
  const { fixedMinor = 0n, basisPoints = 0 } = fee;
  if (fixedMinor > 0n && fee.currency !== currency) return 'otherCurrency';
  const shareMinor = (amountMinor * BigInt(basisPoints) + wholeBasisPoints / 2n) / wholeBasisPoints;
  const wholeMinor = fixedMinor + shareMinor;
  const feeMinor = between(0n, wholeMinor, amountMinor);
  return feeMinor > 0n ? feeMinor : undefined;
}

/** The days of the week, as payout settings name them. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** When a business is paid out. A shorter month pays on its last day. */
export type PayoutSettings =
  | { readonly frequency: 'daily'; readonly delayDays: number }
  | {
      readonly frequency: 'weekly';
      readonly delayDays: number;
      readonly dayOfWeek: (typeof weekdays)[number];
    }
  | { readonly frequency: 'monthly'; readonly delayDays: number; readonly dayOfMonth: number }
  | { readonly frequency: 'manual' };

/** How often a business is paid out. */
export interface PayoutPreferences {
  readonly businessId: string;
  readonly settings: PayoutSettings;
}

/** A span of a day, `HH:MM` to `HH:MM` in the shop's local time. */
export interface WorkingHours {
  readonly day: (typeof weekdays)[number];
  readonly from: string;
  readonly to: string;
}

/** A barber's named weekly schedule template. */
export interface Schedule {
  readonly id: string;
  readonly barberId: string;
  readonly name: string;
  readonly hours: readonly WorkingHours[];
}
