import type { Entry } from './journal.ts';
import type { End } from './taking.ts';
import { showing, type Till } from './till.ts';

const timeLimitMs = 15_000;

/**
 * Adds the last captured payment of the appointment: an earlier one of this phone, whose note is gone, or
 * one of another phone. If the server does not list them, the charge is unknown.
 */
export async function withPaid(till: Till, entry: Entry, end: End): Promise<End> {
  const { appointmentId } = entry;
  const listed = await till.client.listContactlessPayments(
    { appointmentId },
    { ...showing(till, 'checking', entry, till.leave), timeLimitMs },
  );
  if (listed.isErr()) return { ...end, charged: 'unknown' };
  const last = listed.value.items.filter(({ state }) => state === 'captured').pop();
  if (last === undefined) return end;
  const { id, amount, capturedAt, card } = last;
  return {
    ...end,
    charged: 'yes',
    paidBy: { id, amount, capturedAt, card },
    reason: end.reason === 'expired' ? 'paidElsewhere' : end.reason,
  };
}
