import type { ContactlessPayment } from './operations.ts';
import { type AnyProblem, reasonOf, receivedOf } from './problem.ts';
import { canceled, captured, type End, type Reason, stuck } from './taking.ts';

// The meaning of each problem for a payment at the till. Pure, and tested as a table.

/** By the reason of the problem, otherwise by its type. */
const refusals: Readonly<Record<string, Reason>> = {
  expired: 'expired',
  exceedsRemainingBalance: 'owesLess',
  nothingDue: 'noPrice',
  appointmentAlreadyPaid: 'alreadyPaid',
  contactlessPaymentCanceled: 'expired',
  forbidden: 'noAccess',
  notFound: 'noAccess',
  paymentProviderNotSetup: 'notSetUp',
};

/** The service has proved that the request was not applied, and a retry will not help. */
function refused(problem: AnyProblem): End {
  const reason = refusals[reasonOf(problem) ?? ''] ?? refusals[problem.type];
  return canceled(reason ?? 'refused', problem);
}

function isFinal({ recovery }: AnyProblem): boolean {
  return recovery.retry === 'doNotRetry';
}

/** The outcome is unknown. Only a person can learn it if a retry will not help. */
export function unknown(problem: AnyProblem): End {
  if (problem.type === 'unauthorized') return stuck('signIn', problem);
  return stuck(isFinal(problem) ? 'askShop' : 'noAnswer', problem);
}

/**
 * No card was read for this payment. Without a response, an earlier payment may have been charged, whose
 * note is gone.
 */
export function afterOpening(problem: AnyProblem): End {
  const { type, recovery } = problem;
  if (!isFinal(problem) && type !== 'unauthorized') return stuck('notStarted', problem);
  return isFinal(problem) && recovery.outcome === 'notApplied'
    ? refused(problem)
    : unknown(problem);
}

/**
 * `undefined`: no card was processed, so the customer must present one.
 * @param wasLost the outcome of an earlier request is unknown. It may still be running and capture, unless a
 * conflict ended the payment. A refusal after a 401 may be about another person, who signed in meanwhile.
 */
export function afterCapture(problem: AnyProblem, wasLost: boolean): End | undefined {
  const { type, recovery } = problem;
  const reason = reasonOf(problem);
  if (recovery.outcome === 'unknown') return unknown(problem);
  if (reason === 'notProcessed') return undefined;
  const isPartial = reason === 'partiallyAuthorized';
  if (isPartial || type === 'contactlessPaymentDeclined') {
    return {
      step: 'declined',
      reason: isPartial ? 'partlyApproved' : undefined,
      charged: 'no',
      keep: !isPartial,
      problem,
    };
  }
  if (reason === 'reservedElsewhere') return stuck('otherPayment', problem);
  const mayBeCharged = wasLost && receivedOf(problem).status !== 409;
  return isFinal(problem) && !mayBeCharged ? refused(problem) : unknown(problem);
}

/** The end that the state of a payment implies; `undefined` if it is still open. */
export function afterReading({ state }: ContactlessPayment): End | undefined {
  if (state === 'captured') return captured;
  return state === 'canceled' ? canceled('expired') : undefined;
}
