import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyInstant } from '../../test/support.ts';
import { type Card, cardNetworks, fundingTypes, tokenizationMethods } from './payment.ts';
import { packCard, packTimeline, toLedger, unpackCard, unpackTimeline } from './row.ts';

const anyCard: fc.Arbitrary<Card> = fc.record(
  {
    maskedPersonalAccountNumber: fc.string(),
    network: fc.constantFrom(...cardNetworks),
    fundingType: fc.constantFrom(...fundingTypes),
    expirationMonth: fc.string(),
    expirationYear: fc.string(),
    tokenizationMethod: fc.constantFrom(...tokenizationMethods),
  },
  {
    requiredKeys: [
      'maskedPersonalAccountNumber',
      'network',
      'fundingType',
      'expirationMonth',
      'expirationYear',
    ],
  },
);

const anyTimeline = fc.array(fc.record({ at: anyInstant, what: fc.string(), cause: fc.string() }));

it('a card is unchanged after its compact text', () => {
  fc.assert(
    fc.property(anyCard, (card) => {
      expect(unpackCard(packCard(card))).toStrictEqual({ ...card });
    }),
  );
});

it('a timeline is unchanged after its compact text', () => {
  fc.assert(
    fc.property(anyTimeline, anyInstant, (timeline, createdAt) => {
      const entries = timeline.map((entry) => ({ ...entry }));
      expect(unpackTimeline(packTimeline(timeline, createdAt), createdAt)).toStrictEqual(entries);
    }),
  );
});

it('the compact texts contain no member names', () => {
  const [network] = cardNetworks;
  const [fundingType] = fundingTypes;
  const card: Card = {
    maskedPersonalAccountNumber: '*4242',
    network,
    fundingType,
    expirationMonth: '09',
    expirationYear: '2030',
  };
  expect(packCard(card)).toBe('["*4242","network_a","debit","09","2030"]');
  expect(packTimeline([{ at: 105, what: 'opening', cause: 'create' }], 100)).toBe(
    '[[5,"opening","create"]]',
  );
});

it('a ledger keeps its currency where cards and cash have paid the same', () => {
  const sums = { reserved_minor: 0n, captured_minor: 100n, tendered_minor: 100n, tips_minor: 0n };
  const row = { appointment_id: 'a', open_payments: 0, ...sums, currency: 'eur', charge_id: null };
  expect(toLedger(row).currency).toBe('eur');
});
