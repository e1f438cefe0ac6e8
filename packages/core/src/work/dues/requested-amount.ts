import { parseMoney } from '../../domain/money.ts';
import type { Fault } from '../../domain/problem.ts';
import { unfit } from '../../domain/refusals.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** The amount in a request, in minor units; `undefined` if it names none. It must be above zero (D2). */
export function requestedMinor(
  amount: string | undefined,
): Result<bigint | undefined, Fault<'unprocessableEntity'>> {
  if (amount === undefined) return ok(undefined);
  const minor = parseMoney(amount);
  if (minor.isErr()) return err(unfit('/amount', 'The amount has more than 15 digits.'));
  return minor.value > 0n
    ? ok(minor.value)
    : err(unfit('/amount', 'The amount must be above zero.'));
}

export interface RequestedAmount {
  readonly amountMinor: bigint | undefined;
  /** `undefined` if the request names no tip. */
  readonly tipMinor: bigint | undefined;
}

/** The parts of a request's amount, in minor units. A tip is at least zero. */
export function requestedParts(body: {
  readonly amount?: string | undefined;
  readonly tip?: string | undefined;
}): Result<RequestedAmount, Fault<'unprocessableEntity'>> {
  const amount = requestedMinor(body.amount);
  if (amount.isErr()) return err(amount.error);
  const amountMinor = amount.value;
  if (body.tip === undefined) return ok({ amountMinor, tipMinor: undefined });
  const tip = parseMoney(body.tip);
  if (tip.isErr()) return err(unfit('/tip', 'The tip has more than 15 digits.'));
  const tipMinor = tip.value;
  if (tipMinor < 0n) return err(unfit('/tip', 'The tip must not be negative.'));
  return amountMinor !== undefined && tipMinor > amountMinor
    ? err(unfit('/tip', 'The tip must not be more than the amount.'))
    : ok({ amountMinor, tipMinor });
}
