import type Stripe from 'stripe';
import { terminalCountries } from './terminals.ts';

/** An account, as a test defines it. */
export interface StandInAccount {
  readonly id: string;
  readonly chargesEnabled: boolean;
  readonly cardPayments: Stripe.Account.Capabilities.CardPayments;
  readonly transfers: Stripe.Account.Capabilities.Transfers;
  /** The platform has lost access: every call is rejected. */
  readonly revoked: boolean;
  readonly currency: string;
  readonly country: string;
}

/** An account in a country of this currency. */
export function countryOf(currency: string): string {
  return terminalCountries[currency]?.[0] ?? 'US';
}

export function shownAccount(account: StandInAccount, created: number): Stripe.Account {
  const isEnabled = account.chargesEnabled;
  return {
    id: account.id,
    object: 'account',
    capabilities: { card_payments: account.cardPayments, transfers: account.transfers },
    charges_enabled: isEnabled,
    country: account.country,
    created,
    default_currency: account.currency,
    details_submitted: true,
    email: null,
    metadata: {},
    payouts_enabled: true,
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

/** A location of terminals. Stripe keeps a deleted one and marks it. */
export interface StandInLocation {
  readonly id: string;
  readonly country: string;
  readonly deleted: boolean;
  readonly displayName?: string;
}

export function shownLocation(
  { id, country, deleted, displayName = 'A shop' }: StandInLocation,
  livemode: boolean,
): Stripe.Terminal.Location | Stripe.Terminal.DeletedLocation {
  if (deleted) return { id, object: 'terminal.location', deleted: true };
  return {
    id,
    object: 'terminal.location',
    address: {
      city: 'A city',
      country,
      line1: '1 Main Street',
      line2: null,
      postal_code: '12345',
      state: null,
    },
    display_name: displayName,
    livemode,
    metadata: {},
  };
}
