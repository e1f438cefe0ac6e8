import { claimKey, type KeyUse, repeatKey } from '../../call/idempotency.ts';
import {
  isErased,
  keyRetentionMs,
  keysKeptUntil,
  type Payment,
  repeated,
} from '../../domain/payment.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import { touchPayment } from '../payment/payment-changes.ts';

/**
 * Stores a new key for a payment that another key has already captured. The response contains the
 * payment's secret, so the payment keeps its secret as long as this key (D21, D55).
 */
export function repeatedCapture(ports: Ports, use: KeyUse, payment: Payment): readonly Change[] {
  if (isErased(payment)) return [repeatKey(ports, use)];
  const at = ports.clock.now();
  const forgetAt = at + keyRetentionMs;
  const claim = claimKey(use, payment.id);
  if (keysKeptUntil(payment) >= forgetAt) return [claim];
  // The version excludes that the secret has just been erased.
  return [claim, ...touchPayment(payment, at, 'capture', [], repeated).changes];
}
