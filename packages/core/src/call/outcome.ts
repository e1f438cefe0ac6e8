import { isOpenedSetup } from '../domain/method-setup.ts';
import { isOpened } from '../domain/payment.ts';
import { type Fault, type ProblemType, unknownRetryLater } from '../domain/problem.ts';
import { isCounted, wasAcknowledged } from '../domain/refund.ts';
import type { Ports } from '../ports/ports.ts';
import type { Call } from './call.ts';
import { otherRequest, parseKey } from './idempotency.ts';

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

/**
 * Whether a request under this key was applied or still may be. False only if a look-up proves that
 * it never was and never will be, for as long as keys are kept (D21).
 */
export async function mayBeApplied(ports: Ports, subject: string, key: string): Promise<boolean> {
  const record = await ports.store.keys.get(subject, parseKey(key));
  if (record.isErr()) return true;
  if (record.value === undefined) return false;
  const { operation, resourceId, problem } = record.value;
  if (resourceId === undefined) return problem === undefined;
  if (operation === 'preparePaymentMethod') return setupMayBeOpened(ports, resourceId);
  if (operation === 'refundPayment') return refundMayBeMade(ports, resourceId);
  const payment = await ports.store.payments.get(resourceId);
  if (payment.isErr()) return true;
  if (payment.value === undefined) return false;
  const { state } = payment.value;
  const isDone =
    operation === 'createContactlessPayment' ? isOpened(payment.value) : state === 'captured';
  return isDone || (state !== 'canceled' && problem === undefined);
}

async function setupMayBeOpened(ports: Ports, setupId: string): Promise<boolean> {
  const setup = await ports.store.setups.get(setupId);
  if (setup.isErr()) return true;
  if (setup.value === undefined) return false;
  // An unopened setup without work was closed; it will never be opened.
  return isOpenedSetup(setup.value) || setup.value.work !== undefined;
}

async function refundMayBeMade(ports: Ports, refundId: string): Promise<boolean> {
  const refund = await ports.store.refunds.get(refundId);
  if (refund.isErr()) return true;
  // An acknowledged refund that failed later was made; its key still returns it.
  return refund.value !== undefined && (isCounted(refund.value) || wasAcknowledged(refund.value));
}
