import type { Undue } from '../../domain/dues.ts';
import type { CancelCause, Payment } from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, type Result } from '../../domain/result.ts';
import { running } from '../faults.ts';

type Canceling<E> = (cause: CancelCause) => Promise<Result<Payment, E>>;

export type WhyReleased = Undue | 'differsAtProcessor';

/**
 * Releases a payment that must not be captured, and returns the reason as an error. If the processor has
 * captured it, the capture wins and the next retry finds it (D13, D16).
 */
export async function releaseUndue<E>(
  why: WhyReleased,
  cancel: Canceling<E>,
): Promise<Result<never, Fault<'conflict'>>> {
  const released = await cancel(why === 'appointmentGone' ? 'exceedsRemainingBalance' : why);
  return err(undue(why, released));
}

function undue(why: WhyReleased, released: Result<Payment, unknown>): Fault<'conflict'> {
  // If this fails, `reconcile` releases it.
  const isReleased = released.isOk() && released.value.state === 'canceled';
  if (released.isOk() && !isReleased) return running();
  return conflict(why, details[why], { isReleased });
}

const details: Readonly<Record<WhyReleased, string>> = {
  appointmentGone: 'The appointment no longer exists, so it owes no money.',
  currencyChanged: 'The appointment is now paid in another currency.',
  differsAtProcessor: 'The processor shows another amount, currency, account or fee.',
  exceedsRemainingBalance: 'The payment is more than the appointment still owes.',
};
