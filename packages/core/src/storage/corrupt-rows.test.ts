import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { value } from '../../test/support.ts';
import { createChairside } from '../chairside.ts';
import { decoderOf, toMinor, toNumber } from './index.ts';

describe('a row that no version has written', () => {
  it('is an error, and no other value', () => {
    expect(() => toNumber(2n ** 53n)).toThrow(RangeError);
    expect(() => toMinor(2 ** 53)).toThrow(RangeError);
    const business = {
      id: 'shop',
      name: 'Shop',
      account_id: 'acct',
      account_currency: null,
      account_terminal_location: null,
      fee_fixed_minor: null,
      fee_currency: null,
      fee_basis_points: null,
      fee_includes_tip: null,
      returns_fee: null,
      reverses_transfer: null,
      earlier_accounts: null,
      account_changed_at: null,
    };
    expect(() => decoderOf('businesses')(business)).toThrow(TypeError);
  });
});

it('lists no reviews after an id that no store can keep (D12)', async () => {
  const chairside = createChairside(testPorts().options);
  expect(value(await chairside.listReviews({ after: '\0' }))).toEqual([]);
});
