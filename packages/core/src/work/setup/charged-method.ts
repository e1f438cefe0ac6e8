import type { MethodSetup } from '../../domain/method-setup.ts';
import { isFinal, type Payment } from '../../domain/payment.ts';
import type { Steps } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';

/**
 * Whether a setup's method can be charged again (D49). A charge that was refused, canceled or withdrawn
 * took no money, so the method is `free` again. `usedUp`: it was for a single appointment.
 */
export type MethodUse = 'free' | 'underWay' | 'usedUp';

export async function* readMethodUse(
  ports: Ports,
  { chargeId, savePaymentMethod }: MethodSetup,
): Steps<MethodUse, StoreUnavailable> {
  if (chargeId === undefined) return 'free';
  const charge: Payment | undefined = yield* await ports.store.payments.get(chargeId);
  if (charge === undefined) return 'free';
  if (!isFinal(charge)) return 'underWay';
  return charge.state === 'captured' && !savePaymentMethod ? 'usedUp' : 'free';
}
