import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes in charges of saved methods (D49). */
export const plantedChargeBugs: readonly PlantedBug[] = [
  // Two desks charge parts of one fee, together no more than the fee.
  bug(
    'feeChargedByTwoDesks',
    'operations/charges/chargePaymentMethod.ts',
    "charge?.purpose === 'noShow' ? amountMinor : dueMinorFor(payment, appointment),",
    'dueMinorFor(payment, appointment),',
  ),
  bug(
    'depositTakenTwice',
    'work/charging/decide-charge.ts',
    "charge?.purpose === purpose && state !== 'canceled';",
    "charge?.purpose === purpose && purpose === 'noShow' && state !== 'canceled';",
  ),
  bug(
    'singleMethodUsedTwice',
    'work/setup/charged-method.ts',
    "return charge.state === 'captured' && !savePaymentMethod ? 'usedUp' : 'free';",
    "return savePaymentMethod ? 'free' : 'free';",
  ),
  bug(
    'chargedAfterWithdrawal',
    'work/charging/decide-charge.ts',
    'if (releasedAt !== undefined) {',
    'if (releasedAt === 0) {',
  ),
  bug(
    'depositNotCounted',
    'domain/charge.ts',
    "return charge?.purpose === 'noShow' ?",
    'return charge !== undefined ?',
  ),
  // Each check authorizes it again, under another key.
  bug(
    'customerMustActRetried',
    'work/charging/charging.ts',
    `      const { seen } = end;
      const written = await writePayment(ports, payment, (stored) =>`,
    `      const { seen } = end;
      if (seen.refusal === 'customerMustAct') {
        const freed = await letGo(ports, payment, 'refused', true);
        return freed.andThen(() => err(didNotSay('it charged the method')));
      }
      const written = await writePayment(ports, payment, (stored) =>`,
  ),
  bug(
    'keysForgottenWithTheCharge',
    'operations/charges/chargePaymentMethod.ts',
    '...(isForgotten && { nextCheckAt: forgetDecidedAt(ports, setup) }),',
    '...(isForgotten && { nextCheckAt: setup.expiresAt }),',
  ),
];
