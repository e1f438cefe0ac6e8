import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes in what upkeep does with time, with reviews and with what is kept of people. */
export const plantedUpkeepBugs: readonly PlantedBug[] = [
  // Setups whose time is over (D41)
  bug(
    'expiredSetupAccepted',
    'domain/method-setup.ts',
    "return (seen.completedAt ?? at) <= setup.expiresAt ? 'completed' : 'expired';",
    "return 'completed';",
  ),
  bug(
    'expiredSetupLeftOpen',
    'work/setup/settle-setup.ts',
    "if (seen?.status === 'open') {",
    'if (false) {',
  ),

  // Clocks (D42)
  {
    name: 'nodeClockDecides',
    edits: [
      {
        file: 'work/shared-time.ts',
        find: 'if (seen?.at !== undefined) return ok(seen.at);',
        replace: '',
      },
      {
        file: 'work/shared-time.ts',
        find: 'return ports.store.now === undefined ? ok(ports.clock.now()) : ports.store.now();',
        replace: 'return ok(ports.clock.now());',
      },
    ],
  },
  bug(
    'keysForgottenByTheNodeClock',
    'work/shared-time.ts',
    'if (aheadMs === 0) return ports;',
    'if (aheadMs === aheadMs) return ports;',
  ),
  bug(
    'keysKeptByTheWriterClock',
    'domain/payment.ts',
    'Math.max(updatedAt, capturedAt, lastAt)',
    'Math.max(updatedAt, lastAt)',
  ),

  // Reviews (D43)
  bug(
    'orphanReviewLost',
    'work/settling/sweep.ts',
    '[...opened, ...recorded, {',
    '[...recorded, {',
  ),
  bug(
    'paymentReviewNotListed',
    'work/payment/reviews.ts',
    'return [...ended, ...openReview(review)];',
    'return ended;',
  ),

  // Personal data (D47)
  bug(
    'secretNeverErased',
    'work/settling/settle-payment.ts',
    'payment: { ...done, clientSecret: erasedSecret, version: version + 1 },',
    'payment: { ...done, version: version + 1 },',
  ),
  bug(
    'erasedBeforeItIsSettled',
    'operations/eraseCustomer.ts',
    'if (!isErased(payment)) pending.push(payment.id);\n      else if',
    'if',
  ),
  bug(
    'openSetupErased',
    'operations/eraseCustomer.ts',
    'return outcome !== undefined || (work === undefined && clientSecret === undefined);',
    'return true;',
  ),
  bug(
    'cardNotErased',
    'operations/eraseCustomer.ts',
    'const { card: _card, ...rest } = payment;',
    'const rest = payment;',
  ),
];
