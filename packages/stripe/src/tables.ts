import type { Card } from '@chairside/core';
import type { ReceiptDetails } from '@chairside/core/ports';

/** Maps Stripe's names to ours (D9). Unlisted names become `other`. */
export interface StripeTables {
  readonly networks: Readonly<Record<string, Card['network']>>;
  readonly funding: Readonly<Record<string, Card['fundingType']>>;
  /** An unlisted wallet is omitted, because the interface has no `other` for wallets. */
  readonly wallets: Readonly<Record<string, NonNullable<Card['tokenizationMethod']>>>;
  readonly verification: Readonly<
    Record<string, NonNullable<ReceiptDetails['cardholderVerification']>>
  >;
}

export const defaultTables: StripeTables = {
  networks: {
    visa: 'network_a',
    mastercard: 'network_b',
    amex: 'network_c',
    discover: 'network_d',
  },
  funding: { credit: 'credit', debit: 'debit', prepaid: 'prepaid' },
  wallets: {
    apple_pay: 'wallet_method_a',
    google_pay: 'wallet_method_b',
    samsung_pay: 'wallet_method_c',
  },
  verification: {
    none: 'none',
    signature: 'signature',
    offline_pin: 'pin',
    online_pin: 'pin',
    offline_pin_and_signature: 'pin',
  },
};

/** Looks a name up among the table's own entries, so that `constructor` is not found. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * Currencies of whole units that Stripe counts in hundredths, for old integrations: `500` is 5 ISK
 * (docs.stripe.com/currencies, special cases).
 */
const countedInHundredths = /^(?:isk|ugx)$/;

/** An amount of Stripe's in the minor units of its currency (ISO 4217). Stripe takes no fractions of these. */
export function minorOf(amount: number, currency = ''): bigint {
  return BigInt(countedInHundredths.test(currency) ? Math.round(amount / 100) : amount);
}

/**
 * The currency of terminals in each country where Stripe offers them (November 2026). For countries
 * that Stripe adds later, the account's default currency counts.
 */
export const terminalCurrencies: Readonly<Record<string, string>> = {
  AE: 'aed',
  AT: 'eur',
  AU: 'aud',
  BE: 'eur',
  CA: 'cad',
  CH: 'chf',
  CZ: 'czk',
  DE: 'eur',
  DK: 'dkk',
  ES: 'eur',
  FI: 'eur',
  FR: 'eur',
  GB: 'gbp',
  GI: 'gip',
  HK: 'hkd',
  HU: 'huf',
  IE: 'eur',
  IT: 'eur',
  JP: 'jpy',
  LU: 'eur',
  MX: 'mxn',
  MY: 'myr',
  NL: 'eur',
  NO: 'nok',
  NZ: 'nzd',
  PL: 'pln',
  PT: 'eur',
  RO: 'ron',
  SE: 'sek',
  SG: 'sgd',
  US: 'usd',
};
