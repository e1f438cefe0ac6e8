import type { DisputeState } from '@chairside/core';

/** Only these types change a dispute. Others report the money that it moved. */
export const disputeTypes: ReadonlySet<string> = new Set([
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
]);

/** A warning that was closed, and a dispute that was prevented, take no money. */
export function disputeStateOf(status: string): DisputeState {
  if (status === 'lost') return 'lost';
  return status === 'won' || status === 'warning_closed' || status === 'prevented' ? 'won' : 'open';
}
