import type { Undue } from '../domain/dues.ts';
import type { CancelCause, Payment } from '../domain/payment.ts';
import { doNotRetry, type Fault, fault, unknownRetryLater } from '../domain/problem.ts';
import { err, type Result } from '../domain/result.ts';
import { running } from './faults.ts';

type Canceling<E> = (cause: CancelCause) => Promise<Result<Payment, E>>;

/**
 * Releases a payment that is not owed, and ends in the reason. If the processor has captured it, the
 * capture wins: the next retry finds it (D13, D16).
 */
export async function releaseUndue<E>(
  why: Undue,
  cancel: Canceling<E>,
): Promise<Result<never, Fault<'conflict'>>> {
  const released = await cancel(why === 'currencyChanged' ? why : 'exceedsRemainingBalance');
  return err(undue(why, released));
}

function undue(why: Undue, released: Result<Payment, unknown>): Fault<'conflict'> {
  // If this does not get through, `reconcile` releases it.
  const isReleased = released.isOk() && released.value.state === 'canceled';
  if (released.isOk() && !isReleased) return running();
  return fault('conflict', details[why], {
    // Until it is released, another system may capture it (D22).
    recovery: isReleased ? doNotRetry : unknownRetryLater,
    attributes: { reason: why, isReleased },
  });
}

const details: Readonly<Record<Undue, string>> = {
  appointmentGone: 'The appointment does not exist any more, so it owes nothing.',
  currencyChanged: 'The appointment is paid in another currency now.',
  exceedsRemainingBalance: 'The payment is more than the appointment still owes.',
};

/** A new payment in a currency that does not fit what was paid before (D39). */
export function currencyChanged(): Fault<'conflict'> {
  return fault('conflict', 'What was paid before is in another currency.', {
    attributes: { reason: 'currencyChanged' },
  });
}
