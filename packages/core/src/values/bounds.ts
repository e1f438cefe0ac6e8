// Stryker disable EqualityOperator: of two equal amounts, either is the same.
export function between(least: bigint, minor: bigint, most: bigint): bigint {
  if (minor <= least) return least;
  return minor < most ? minor : most;
}

/** What is left, or nothing where more is gone than there was. */
export function orNothing(minor: bigint): bigint {
  return minor < 0n ? 0n : minor;
}
// Stryker restore EqualityOperator

interface AmountWithTip {
  readonly amountMinor: bigint;
  readonly tipMinor?: bigint;
}

/** The amounts and tips of several parts, added up. */
export function sumOf(parts: readonly AmountWithTip[]) {
  let [amountMinor, tipMinor] = [0n, 0n];
  for (const part of parts) {
    amountMinor += part.amountMinor;
    tipMinor += part.tipMinor ?? 0n;
  }
  return { amountMinor, tipMinor };
}
