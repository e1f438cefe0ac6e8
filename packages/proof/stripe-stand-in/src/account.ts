import type Stripe from 'stripe';

/**
 * Where Stripe offers terminals, by the local currency, which alone `card_present` accepts there. The
 * SDK declares the currencies, by the tips of a reader; docs.stripe.com/terminal/payments/regional names
 * the countries (November 2026). The adapter has its own table, which tests compare with this one. An
 * account without a country gets the first one of its currency.
 */
export const terminalCountries: Readonly<Record<string, readonly string[]>> = {
  aed: ['AE'],
  aud: ['AU'],
  cad: ['CA'],
  chf: ['CH'],
  czk: ['CZ'],
  dkk: ['DK'],
  eur: ['DE', 'AT', 'BE', 'ES', 'FI', 'FR', 'IE', 'IT', 'LU', 'NL', 'PT'],
  gbp: ['GB'],
  gip: ['GI'],
  hkd: ['HK'],
  huf: ['HU'],
  jpy: ['JP'],
  mxn: ['MX'],
  myr: ['MY'],
  nok: ['NO'],
  nzd: ['NZ'],
  pln: ['PL'],
  ron: ['RO'],
  sek: ['SE'],
  sgd: ['SG'],
  usd: ['US'],
} satisfies Readonly<Record<Currency, readonly string[]>>;

type Currency = Exclude<keyof Stripe.Terminal.Configuration.Tipping, symbol | number>;

/** The only currency of terminals in a country; undefined where Stripe offers no terminals. */
export function localCurrency(country: string): string | undefined {
  const rows = Object.entries(terminalCountries);
  return rows.find(([, countries]) => countries.includes(country))?.[0];
}

/** An account, as a test defines it. */
export interface StandInAccount {
  readonly id: string;
  readonly chargesEnabled: boolean;
  readonly payoutsEnabled: boolean;
  readonly cardPayments: Stripe.Account.Capabilities.CardPayments;
  readonly transfers: Stripe.Account.Capabilities.Transfers;
  /** The platform has lost access: every call is rejected. */
  readonly revoked: boolean;
  readonly currency: string;
  readonly country: string;
}

export function shownAccount(account: StandInAccount): Stripe.Account {
  const isEnabled = account.chargesEnabled;
  return {
    id: account.id,
    object: 'account',
    capabilities: { card_payments: account.cardPayments, transfers: account.transfers },
    charges_enabled: isEnabled,
    country: account.country,
    created: 0,
    default_currency: account.currency,
    details_submitted: true,
    email: null,
    metadata: {},
    payouts_enabled: account.payoutsEnabled,
    requirements: {
      alternatives: [],
      current_deadline: null,
      currently_due: [],
      disabled_reason: isEnabled ? null : 'requirements.past_due',
      errors: [],
      eventually_due: [],
      past_due: [],
      pending_verification: [],
    },
    type: 'standard',
  };
}
