/**
 * Where Stripe offers terminals, by the local currency, which alone `card_present` accepts there. Read
 * from docs.stripe.com/terminal/payments/regional (November 2026), and not from the adapter's table,
 * which tests compare with this one. The first country of a currency is its usual example.
 */
export const terminalCountries: Readonly<Record<string, readonly string[]>> = {
  aud: ['AU'],
  cad: ['CA'],
  chf: ['CH'],
  czk: ['CZ'],
  dkk: ['DK'],
  eur: ['DE', 'AT', 'BE', 'ES', 'FI', 'FR', 'IE', 'IT', 'LU', 'NL', 'PT'],
  gbp: ['GB'],
  jpy: ['JP'],
  myr: ['MY'],
  nok: ['NO'],
  nzd: ['NZ'],
  pln: ['PL'],
  sek: ['SE'],
  sgd: ['SG'],
  usd: ['US'],
};

/** The only currency of terminals in a country; undefined where Stripe offers no terminals. */
export function localCurrency(country: string): string | undefined {
  return Object.keys(terminalCountries).find((currency) =>
    terminalCountries[currency]?.includes(country),
  );
}
