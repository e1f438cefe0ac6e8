import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes with tips. */
export const plantedTipBugs: readonly PlantedBug[] = [
  bug(
    'tipCountedTowardsTheDue',
    'domain/tip.ts',
    'return tipMinor === undefined ? amountMinor : amountMinor - tipMinor;',
    'return amountMinor;',
  ),
  bug(
    'refundTakesTheTipFirst',
    'domain/tip.ts',
    'return between(0n, amountMinor - left.owedMinor, left.tipMinor);',
    'return between(0n, amountMinor, left.tipMinor);',
  ),
  bug(
    'tipLostInARetry',
    'work/opening/opening.ts',
    '...(payment.tipMinor !== undefined && {',
    '...(payment.tipMinor !== undefined && payment.work.fence === 1 && {',
  ),
  bug(
    'tipOfAnotherBarber',
    'work/capturing/reserving.ts',
    'const reserved = beginReserved(followed, work, ports.clock.now(), amountDueMinor);',
    `const moved = { ...followed.payment.appointment, barber: appointment.barber };
  const ofOther = { ...followed, payment: { ...followed.payment, appointment: moved } };
  const reserved = beginReserved(ofOther, work, ports.clock.now(), amountDueMinor);`,
  ),
  bug(
    'tipNotInTheLedger',
    'work/payment/payment-changes.ts',
    'capturedMinor: capturedMinor - tipIn(after, capturedMinor),',
    'capturedMinor,',
  ),
];
