import type { Entry } from './journal.ts';
import type { End } from './taking.ts';
import { showing, type Till } from './till.ts';

const timeLimitMs = 15_000;
/** Their words deny a charge of the appointment. */
const denials: readonly End['reason'][] = ['expired', 'partlyApproved', 'refused'];

/**
 * Adds the last captured payment of the appointment: an earlier payment of this phone, whose note is gone,
 * or of another phone. If the server does not list the payments, the charge is unknown.
 */
export async function withPaid(till: Till, entry: Entry, end: End): Promise<End> {
  const listed = await till.client.listContactlessPayments(entry, {
    ...showing(till, 'checking', entry, till.leave),
    timeLimitMs,
  });
  if (listed.isErr()) return { ...end, charged: 'unknown' };
  const last = listed.value.items.filter(({ state }) => state === 'captured').pop();
  if (last === undefined) return end;
  const { id, amount, capturedAt, card } = last;
  const paid: End = { ...end, charged: 'yes', paidBy: { id, amount, capturedAt, card } };
  const isDenial = denials.includes(end.reason);
  return isDenial ? { ...paid, step: 'canceled', reason: 'paidElsewhere' } : paid;
}
