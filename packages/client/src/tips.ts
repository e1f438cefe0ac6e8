import { amountOf, typedMinor } from './amounts.ts';

// Apart from the register, so that an app without tips does not carry them (D48).

/** One button of a tip screen. */
export interface TipChoice {
  /** The tip in percent of the price; absent for the customer's own amount. */
  readonly percent?: number;
  readonly tip: string;
  /** All that the card is charged: the `amount` of the payment. */
  readonly total: string;
}

/**
 * The buttons of a tip screen: no tip, and shares of the price. No tip is a choice like the others, so draw
 * all of them alike, and choose none in advance.
 * @param price the amount without the tip, such as `45.00`.
 */
export function tipChoices(
  price: string,
  percents: readonly number[] = [10, 15, 20],
): readonly TipChoice[] {
  const priceMinor = typedMinor(price) ?? 0;
  return [0, ...percents].map((percent) => ({
    percent,
    ...choice(priceMinor, Math.round((priceMinor * percent) / 100)),
  }));
}

/** Reads a typed tip, such as `5` or `2,50`. `undefined` if it is no amount, or above `most`. */
export function ownTip(price: string, typed: string, most: string = price): TipChoice | undefined {
  const tipMinor = typedMinor(typed);
  if (tipMinor === undefined || tipMinor > (typedMinor(most) ?? 0)) return undefined;
  return choice(typedMinor(price) ?? 0, tipMinor);
}

/** English for a screen reader: a sign such as "10 %" does not say what the card is charged. */
export function tipWords({ tip, total }: TipChoice, currency = ''): string {
  const money = (amount: string) => `${amount} ${currency}`.trim();
  return `${tip === '0.00' ? 'No tip' : `Tip ${money(tip)}`}, in all ${money(total)}`;
}

const choice = (priceMinor: number, tipMinor: number): TipChoice => ({
  tip: amountOf(tipMinor),
  total: amountOf(priceMinor + tipMinor),
});
