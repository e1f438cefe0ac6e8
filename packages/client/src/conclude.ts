import { type AnyProblem, reasonOf } from './problem.ts';
import type { ContactlessPayment } from './shapes.ts';
import { canceled, captured, type End, type Reason, stuck } from './taking.ts';

// The meaning of each problem for a payment at the till. Pure, and tested as a table.

const refusals: Readonly<Record<string, Reason>> = {
  appointmentAlreadyPaid: 'alreadyPaid',
  contactlessPaymentCanceled: 'expired',
  forbidden: 'noAccess',
  notFound: 'noAccess',
  paymentProviderNotSetup: 'notSetUp',
};

const conflicts: Readonly<Record<string, Reason>> = {
  expired: 'expired',
  exceedsRemainingBalance: 'owesLess',
};

/** The service has proved that the request was not applied, and a retry will not help. */
function refused(problem: AnyProblem): End {
  const byConflict = problem.type === 'conflict' ? conflicts[reasonOf(problem) ?? ''] : undefined;
  return canceled(byConflict ?? refusals[problem.type] ?? 'refused', problem);
}

function isFinal({ recovery }: AnyProblem): boolean {
  return recovery.retry === 'doNotRetry';
}

/**
 * No card was read for this payment. Without a response, an earlier one may have been charged, whose note
 * is gone.
 */
export function afterOpening(problem: AnyProblem): End {
  const { type, recovery } = problem;
  if (type === 'unauthorized') return stuck('signIn', 'unknown', problem);
  if (!isFinal(problem)) return stuck('notStarted', 'unknown', problem);
  return recovery.outcome === 'unknown' ? stuck('askShop', 'unknown', problem) : refused(problem);
}

/**
 * `undefined`: no card was processed, so the customer must present one.
 * @param wasLost an earlier request got no response. It may still be running and capture, unless a conflict
 * settled the payment.
 */
export function afterCapture(problem: AnyProblem, wasLost: boolean): End | undefined {
  const { type, recovery } = problem;
  const reason = reasonOf(problem);
  if (recovery.outcome === 'unknown') {
    if (isFinal(problem)) return stuck('askShop', 'unknown', problem);
    return stuck(type === 'unauthorized' ? 'signIn' : 'noAnswer', 'unknown', problem);
  }
  if (reason === 'notProcessed') return undefined;
  if (reason === 'partiallyAuthorized') {
    return { step: 'declined', reason: 'partlyApproved', charged: 'no', keep: false, problem };
  }
  if (type === 'contactlessPaymentDeclined') {
    return { step: 'declined', charged: 'no', keep: true, problem };
  }
  if (isFinal(problem)) {
    const isUnsettled = wasLost && 'status' in problem && problem.status !== 409;
    return isUnsettled ? stuck('askShop', 'unknown', problem) : refused(problem);
  }
  if (reason === 'reservedElsewhere') return stuck('otherPayment', 'unknown', problem);
  return stuck(type === 'unauthorized' ? 'signIn' : 'noAnswer', 'unknown', problem);
}

/** The end that the state of a payment implies; `undefined` if it is still open. */
export function afterReading({ state }: ContactlessPayment): End | undefined {
  if (state === 'captured') return captured;
  return state === 'canceled' ? canceled('expired') : undefined;
}
