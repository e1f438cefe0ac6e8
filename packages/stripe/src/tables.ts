import type { Card, ReceiptDetails } from '@chairside/core';

/** Stripe's names in ours (D9). A name that is not listed becomes the `other` of its kind. */
export interface StripeTables {
  readonly networks: Readonly<Record<string, Card['network']>>;
  readonly funding: Readonly<Record<string, Card['fundingType']>>;
  /** A wallet that is not listed is left out: the interface has no `other` for it. */
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

/** What the table says, and nothing that merely looks as if it said so (`constructor`). */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * The currency that terminals take in each country where Stripe offers them (November 2026).
 * Countries that Stripe adds later are compared with the account's default currency.
 */
export const terminalCurrencies: Readonly<Record<string, string>> = {
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
  IE: 'eur',
  IT: 'eur',
  JP: 'jpy',
  LU: 'eur',
  MY: 'myr',
  NL: 'eur',
  NO: 'nok',
  NZ: 'nzd',
  PL: 'pln',
  PT: 'eur',
  SE: 'sek',
  SG: 'sgd',
  US: 'usd',
};
