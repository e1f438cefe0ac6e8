import { isOpenedSetup } from '../domain/method-setup.ts';
import { isOpened } from '../domain/payment.ts';
import { isCounted, wasAcknowledged } from '../domain/refund.ts';
import type { Ports } from '../ports/ports.ts';
import { parseKey } from './idempotency.ts';

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
    operation === 'captureContactlessPayment' ? state === 'captured' : isOpened(payment.value);
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
  // One that was acknowledged and failed later was made; its key still returns it.
  return refund.value !== undefined && (isCounted(refund.value) || wasAcknowledged(refund.value));
}
