/** An amount of the interface, such as `45.00`, in the smallest unit. */
export const minor = (amount: string) => Math.round(Number(amount) * 100);
export const amountOf = (minorUnits: number) => (minorUnits / 100).toFixed(2);

/** A typed amount, such as `20` or `12,50`; undefined for other text. */
export function typedMinor(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.');
  return /^\d{1,9}(\.\d{1,2})?$/.test(text) ? minor(text) : undefined;
}
