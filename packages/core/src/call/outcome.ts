import { type Fault, type ProblemType, unknownRetryLater } from '../domain/problem.ts';
import type { Ports } from '../ports/ports.ts';
import type { Call } from './call.ts';
import { otherRequest } from './idempotency.ts';
import { mayBeApplied } from './may-be-applied.ts';

/** These refusals do not depend on the key: the same request gets them again. */
const keepsRetry: ReadonlySet<ProblemType> = new Set([
  'badRequest',
  'forbidden',
  'notFound',
  'unsupportedMediaType',
  'internalError',
]);

/**
 * Corrects the outcome of a refusal under a key. `notApplied` requires a look-up that found no
 * claim (D22), because the client may have missed the response to an earlier attempt.
 */
export async function truthful(
  ports: Ports,
  { auth }: Call,
  key: string | undefined,
  fault: Fault,
): Promise<Fault> {
  const { recovery } = fault;
  if (recovery.outcome === 'unknown' || key === undefined) return fault;
  if (auth === undefined || auth === 'rejectedToken') return fault;
  // The comparison of fingerprints has proved that this request was not applied.
  if (fault === otherRequest) return fault;
  if (!(await mayBeApplied(ports, auth.subject, key))) return fault;
  return keepsRetry.has(fault.type)
    ? withUnknownOutcome(fault)
    : { ...fault, recovery: { ...recovery, ...unknownRetryLater } };
}

/** The same refusal, before or without a look-up of the request's key (D22). */
export function withUnknownOutcome<F extends Fault>(fault: F): F {
  return { ...fault, recovery: { ...fault.recovery, outcome: 'unknown' } };
}
