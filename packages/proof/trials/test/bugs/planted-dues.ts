import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes that show only if the amount due falls, or a business changes its currency. */
export const plantedDuesBugs: readonly PlantedBug[] = [
  bug(
    'duesNeverComparedAgain',
    'work/capturing/decide-capture.ts',
    'const why = whyUndue(payment, dues.value);',
    'const why = undefined;',
  ),
  bug(
    'duesComparedBeforeTheFirstSendOnly',
    'work/capturing/decide-capture.ts',
    'const why = whyUndue(payment, dues.value);',
    'const why = payment.checks === 0 ? whyUndue(payment, dues.value) : undefined;',
  ),
  bug(
    'goneTakenForUnchanged',
    'domain/dues.ts',
    "if (appointment === undefined) return 'appointmentGone';",
    'if (appointment === undefined) return undefined;',
  ),
  bug(
    'currencyNotCompared',
    'domain/dues.ts',
    'return present !== currency || held !== currency;',
    'return false;',
  ),
  bug(
    'capturedIgnored',
    'domain/dues.ts',
    'const committedMinor = ledger.capturedMinor + ledger.reservedMinor;',
    'const committedMinor = ledger.reservedMinor;',
  ),
];
