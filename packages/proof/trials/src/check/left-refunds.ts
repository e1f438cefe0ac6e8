import { hourMs } from '@chairside/core';
import type { Refund } from '@chairside/core/ports';
import type { Evidence } from './evidence.ts';
import type { State } from './state.ts';

/** An older refund is not sent again, because the processor may have forgotten its key (D44). */
const sendForMs = 18 * hourMs;

/** The longest time from the end of the faults to the next check of a refund. */
const checkedWithinMs = hourMs;

/**
 * Refunds that are left to a person (D44): the processor does not show them, and the faults lasted until
 * they could no longer be sent again. They keep their amount reserved.
 */
export function refundsLeft(
  { healedAt, refunds: trails }: Evidence,
  { entries, refunds }: State,
): readonly Refund[] {
  const made = new Set(
    entries.flatMap((entry) => (entry.refunds ?? []).map(({ refundId }) => refundId)),
  );
  return refunds.filter(({ id, work }) => {
    const begunAt = trails.get(id)?.begunAt ?? Number.POSITIVE_INFINITY;
    const couldBeSent = begunAt + sendForMs > healedAt + checkedWithinMs;
    return work !== undefined && !made.has(id) && !couldBeSent;
  });
}
