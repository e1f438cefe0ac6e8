import { type AnyProblem, reasonOf } from './problem.ts';
import type { ContactlessPayment } from './shapes.ts';
import { canceled, captured, type End, type Reason, stuck } from './taking.ts';

// What each problem means for a payment at the till. Pure: a table in the tests.

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

/** The service is certain that nothing was done, and the same request will not help. */
function refused(problem: AnyProblem): End {
  const byConflict = problem.type === 'conflict' ? conflicts[reasonOf(problem) ?? ''] : undefined;
  return canceled(byConflict ?? refusals[problem.type] ?? 'refused', problem);
}

function isFinal({ recovery }: AnyProblem): boolean {
  return recovery.retry === 'doNotRetry';
}

/** No card was read for this payment, so nothing can have been charged. */
export function afterOpening(problem: AnyProblem): End {
  const { type, recovery } = problem;
  if (type === 'unauthorized') return stuck('signIn', 'no', problem);
  if (!isFinal(problem)) return stuck('notStarted', 'no', problem);
  return recovery.outcome === 'unknown' ? stuck('askShop', 'no', problem) : refused(problem);
}

/** `undefined`: no card was processed, so one has to be read. */
export function afterCapture(problem: AnyProblem): End | undefined {
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
  if (isFinal(problem)) return refused(problem);
  if (reason === 'reservedElsewhere') return stuck('otherPayment', 'unknown', problem);
  return stuck(type === 'unauthorized' ? 'signIn' : 'noAnswer', 'unknown', problem);
}

/** What a payment that was read says about itself; `undefined` if it is still open. */
export function afterReading({ state }: ContactlessPayment): End | undefined {
  if (state === 'captured') return captured;
  return state === 'canceled' ? canceled('expired') : undefined;
}
