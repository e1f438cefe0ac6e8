import { describe, expect, it } from 'vitest';
import { emptyLedger, type Ledger } from '../host/host.ts';
import { decideTender } from './record-tender.ts';
import { decideReturn } from './return-tender.ts';

const due = { amountDueMinor: 4500n };
const business = {
  id: 'shop',
  name: 'Shop',
  processorAccount: { id: 'acct_1', currency: 'eur' },
};

describe('a tender (D202)', () => {
  it.each<[string, Partial<Ledger>, bigint, object]>([
    ['of all that is due fits', {}, 4500n, { currency: 'eur' }],
    ['of the rest fits', { capturedMinor: 4400n, currency: 'eur' }, 100n, { currency: 'eur' }],
    [
      'of more than the rest of cards does not fit',
      { capturedMinor: 4400n, currency: 'eur' },
      101n,
      { attributes: { reason: 'exceedsRemaining', remaining: '1.00' } },
    ],
    [
      'of more than the rest of tenders does not fit',
      { tenderedMinor: 4400n, currency: 'eur' },
      101n,
      { attributes: { reason: 'exceedsRemaining', remaining: '1.00' } },
    ],
    [
      'of what a capture may take waits for it',
      { reservedMinor: 2500n, currency: 'eur' },
      2001n,
      { attributes: { reason: 'reservedElsewhere', remaining: '20.00' } },
    ],
    [
      'of nothing that is due is refused',
      { tenderedMinor: 4500n },
      1n,
      { type: 'appointmentAlreadyPaid' },
    ],
    [
      'in another currency is refused',
      { capturedMinor: 1n, currency: 'usd' },
      1n,
      { attributes: { reason: 'currencyChanged' } },
    ],
  ])('%s', (_, over, amountMinor, expected) => {
    const decided = decideTender(due, { ...emptyLedger('a'), ...over }, business, amountMinor);
    expect(decided.isOk() ? decided.value : decided.error).toMatchObject(expected);
  });

  it('has no currency without an account of the business', () => {
    const shop = { id: 'shop', name: 'Shop' };
    const decided = decideTender(due, emptyLedger('a'), shop, 1n);
    expect(decided._unsafeUnwrapErr().type).toBe('paymentProviderNotSetup');
  });
});

it.each([
  ['all that is left', 500n, undefined, 500n],
  ['a part of it', 500n, 1n, 1n],
  ['no more than is left', 500n, 501n, 'exceedsReturnable'],
  ['nothing where nothing is left', 0n, undefined, 'exceedsReturnable'],
])('a return gives back %s', (_, leftMinor, askedMinor, expected) => {
  const decided = decideReturn(leftMinor, askedMinor);
  expect(decided.isOk() ? decided.value : decided.error.attributes?.reason).toBe(expected);
});
