import { claimKey, type KeyUse, repeatKey } from '../../call/idempotency.ts';
import {
  isErased,
  keyRetentionMs,
  keysKeptUntil,
  type Payment,
  repeated,
} from '../../domain/payment.ts';
import type { EpochMs } from '../../domain/time.ts';
import { noted } from '../../domain/timeline.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * Stores a new key for a payment that another key has already captured. The response contains the
 * payment's secret, so the payment keeps its secret as long as this key (D21, D113).
 */
export function repeatedCapture(ports: Ports, use: KeyUse, payment: Payment): readonly Change[] {
  if (isErased(payment)) return [repeatKey(ports, use)];
  const at = ports.clock.now();
  const forgetAt = at + keyRetentionMs;
  const claim = claimKey(use, payment.id);
  return keysKeptUntil(payment) < forgetAt ? [claim, keepLonger(payment, at, forgetAt)] : [claim];
}

/** Notes the repetition. The version excludes that the secret was erased meanwhile. */
function keepLonger(payment: Payment, at: EpochMs, forgetAt: EpochMs): Change {
  const { version, nextCheckAt = forgetAt } = payment;
  const timeline = noted(payment.timeline, { at, what: repeated, cause: 'capture' });
  return {
    kind: 'updatePayment',
    payment: { ...payment, version: version + 1, nextCheckAt, timeline },
    expectedVersion: version,
  };
}
