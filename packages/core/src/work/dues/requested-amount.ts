import { parseMoney } from '../../domain/money.ts';
import { type Fault, fault } from '../../domain/problem.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** The amount in a request, in minor units; `undefined` if it names none. It must be above zero (D2). */
export function requestedMinor(
  amount: string | undefined,
): Result<bigint | undefined, Fault<'unprocessableEntity'>> {
  if (amount === undefined) return ok(undefined);
  const minor = parseMoney(amount);
  if (minor.isErr()) return err(invalidAmount('The amount has more than 15 digits.'));
  return minor.value > 0n ? ok(minor.value) : err(invalidAmount('The amount must be above zero.'));
}

export function invalidAmount(detail: string): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', detail, { attributes: { pointer: '/amount' } });
}
