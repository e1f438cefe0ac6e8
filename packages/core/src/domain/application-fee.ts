/** The platform's fee for each payment of a business (D46). */
export interface ApplicationFee {
  /** Minor units of each payment. */
  readonly fixedMinor?: bigint;
  /** The currency of `fixedMinor`: ISO 4217, lower case. */
  readonly currency?: string;
  /** Hundredths of a percent of the amount, 0 to 10,000. */
  readonly basisPoints?: number;
}

const wholeBasisPoints = 10_000n;

/**
 * The fee of a payment: the fixed part plus the share, rounded half up, at most the payment's
 * amount. Absent if it is zero. `otherCurrency`: the fixed part has another currency.
 */
export function feeOf(
  fee: ApplicationFee | undefined,
  amountMinor: bigint,
  currency: string,
): bigint | 'otherCurrency' | undefined {
  if (fee === undefined) return undefined;
  const { fixedMinor = 0n, basisPoints = 0 } = fee;
  if (fixedMinor > 0n && fee.currency !== currency) return 'otherCurrency';
  const share = (amountMinor * BigInt(basisPoints) + wholeBasisPoints / 2n) / wholeBasisPoints;
  const whole = fixedMinor + share;
  const feeMinor = whole < amountMinor ? whole : amountMinor;
  return feeMinor > 0n ? feeMinor : undefined;
}
