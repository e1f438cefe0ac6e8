/**
 * Compact texts for a payment's card and timeline in a store: JSON without the member names, which
 * would be most of the text. Decoding throws for corrupt text.
 */
import type { Card } from '../../domain/card.ts';
import type { TimelineEntry } from '../../domain/payment.ts';
import type { EpochMs } from '../../domain/time.ts';

type CompactCard = readonly [
  maskedPersonalAccountNumber: string,
  network: Card['network'],
  fundingType: Card['fundingType'],
  expirationMonth: string,
  expirationYear: string,
  tokenizationMethod?: NonNullable<Card['tokenizationMethod']>,
];

export function packCard(card: Card): string {
  const { maskedPersonalAccountNumber, network, fundingType, tokenizationMethod } = card;
  const { expirationMonth, expirationYear } = card;
  const wallet = tokenizationMethod === undefined ? ([] as const) : ([tokenizationMethod] as const);
  const compact: CompactCard = [
    maskedPersonalAccountNumber,
    network,
    fundingType,
    expirationMonth,
    expirationYear,
    ...wallet,
  ];
  return JSON.stringify(compact);
}

export function unpackCard(text: string): Card {
  const compact: CompactCard = JSON.parse(text);
  const [maskedPersonalAccountNumber, network, fundingType, month, year, wallet] = compact;
  return {
    maskedPersonalAccountNumber,
    network,
    fundingType,
    expirationMonth: month,
    expirationYear: year,
    ...(wallet !== undefined && { tokenizationMethod: wallet }),
  };
}

/** The time is relative to the payment's creation. */
type CompactEntry = readonly [deltaMs: number, what: string, cause: string];

export function packTimeline(timeline: readonly TimelineEntry[], createdAt: EpochMs): string {
  return JSON.stringify(
    timeline.map(({ at, what, cause }): CompactEntry => [at - createdAt, what, cause]),
  );
}

export function unpackTimeline(text: string, createdAt: EpochMs): TimelineEntry[] {
  const entries: readonly CompactEntry[] = JSON.parse(text);
  // By index, because destructuring an array runs its iterator.
  return entries.map((entry) => ({ at: createdAt + entry[0], what: entry[1], cause: entry[2] }));
}
