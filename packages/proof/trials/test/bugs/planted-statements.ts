import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes in the statement of a day. */
export const plantedStatementBugs: readonly PlantedBug[] = [
  bug(
    'entryOnTwoDays',
    'work/statement/read-day.ts',
    'store.settlements.list(id, span, limit),',
    'store.settlements.list(id, { ...span, until: span.until + 24 * 3_600_000 }, limit),',
  ),
  bug(
    'feeWithTheWrongSign',
    'domain/settlement.ts',
    'return amountMinor - processorFeeMinor - applicationFeeMinor;',
    'return amountMinor + processorFeeMinor - applicationFeeMinor;',
  ),
  bug(
    'refundLostAtMidnight',
    'work/statement/read-day.ts',
    'store.movements.list(id, span, limit),',
    'store.movements.list(id, { ...span, from: span.from + 3_600_000 }, limit),',
  ),
  bug(
    'payoutCountedBeforeItArrived',
    'domain/statement.ts',
    "return state === 'paid' && arrivesAt <= now;",
    "return state === 'paid' || arrivesAt > now;",
  ),
];
