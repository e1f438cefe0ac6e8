import { decimalsOf } from '../values/money.ts';
import type { EpochMs } from '../values/time.ts';

/** The account that receives a business's card payments. */
export interface ProcessorAccount {
  /** The processor's id of the account. */
  readonly id: string;
  /** ISO 4217, lower case, with two decimals (D18). */
  readonly currency: string;
  /** The processor's id of the terminals' location, for processors that require one. */
  readonly terminalLocation?: string;
}

/** A business with its account at the processor and its terms. */
export interface Business {
  readonly id: string;
  readonly name: string;
  /** Absent until the business has set up card payments: 422 `paymentProviderNotSetup` (D14). */
  readonly processorAccount?: ProcessorAccount;
  /** The platform's fee for each of its payments (D46). */
  readonly applicationFee?: ApplicationFee;
  readonly refundPolicy?: RefundPolicy;
  /**
   * The accounts that it used before: their entries and payouts belong to its statements (D50). `putBusiness`
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
  const isChanged = replaced !== undefined && present !== undefined && replaced !== present;
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
  /** Payouts go to this account; it cannot be removed (D30). */
  readonly isDefault: boolean;
}

/** A barber. Chairside needs only the employer. */
export interface Barber {
  readonly id: string;
  readonly businessId: string;
}

/** The account that card payments go to, if the business has a usable one (D14, D18). */
export function paymentAccount(business: Business | undefined): ProcessorAccount | undefined {
  const account = business?.processorAccount;
  return account !== undefined && hasTwoDecimals(account.currency) ? account : undefined;
}

/** Whether amounts in this currency have exactly two decimals (D18). */
export function hasTwoDecimals(currency: string): boolean {
  return typeof currency === 'string' && /^[a-z]{3}$/.test(currency) && decimalsOf(currency) === 2;
}

/** The platform's fee for each payment of a business (D46). */
export interface ApplicationFee {
  /** Minor units of each payment. */
  readonly fixedMinor?: bigint;
  /** The currency of `fixedMinor`: ISO 4217, lower case. */
  readonly currency?: string;
  /** Hundredths of a percent of the amount, 0 to 10,000. */
  readonly basisPoints?: number;
  /** Whether the fee counts the tip too. Default: the amount without the tip (D48). */
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
  const feeMinor = wholeMinor < amountMinor ? wholeMinor : amountMinor;
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

/** When a business is paid out (D7). A shorter month pays on its last day. */
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
