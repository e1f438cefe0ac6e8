import { terminalCountries } from '@chairside/stripe-stand-in';
import { describe, expect, it } from 'vitest';
import { terminalCurrencies } from '../src/tables.ts';
import { problem, setUp, value } from './stand-in.ts';

const rows = Object.entries(terminalCountries).flatMap(([currency, countries]) =>
  countries.map((country) => [country, currency] as const),
);

// The stand-in's table comes from Stripe; the adapter's must agree with it for every country.
describe.each(rows)('an account in %s, whose terminals take only %s', (country, local) => {
  // The account's default currency differs, so it cannot stand in for a missing row.
  const foreign = local === 'usd' ? 'eur' : 'usd';
  const open = (currency: string) => {
    const { stripe, standIn, account, charge } = setUp();
    standIn.changeAccount(account.id, { country, currency: foreign });
    return stripe.openPayment({ ...charge, currency });
  };

  it('is ready for that currency alone', async () => {
    const { stripe, standIn, account } = setUp();
    standIn.changeAccount(account.id, { country, currency: foreign });
    const terminalLocation = standIn.addLocation(account.id, undefined, country);
    const obstacles = async (currency: string) =>
      value(await stripe.checkAccount({ id: account.id, currency, terminalLocation })).obstacles;
    const unsupported = local === 'jpy' ? [{ kind: 'currencyUnsupported' }] : [];
    expect(await obstacles(local)).toEqual(unsupported);
    expect(await obstacles(foreign)).toEqual([{ kind: 'currencyNotLocal', local }]);
  });

  it('opens payments in that currency alone', async () => {
    if (local !== 'jpy') value(await open(local));
    problem(await open(foreign));
  });
});

it('the adapter knows no other countries', () => {
  expect(Object.entries(terminalCurrencies).sort()).toEqual([...rows].sort());
});
