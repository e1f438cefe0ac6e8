import type { Terminal } from '../../domain/terminal.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';

/** The event for a change of a terminal (D26). */
export function terminalEvent(
  terminal: Terminal,
  what: 'registered' | 'removed' | 'released',
  at: EpochMs,
): Change {
  const { id, barberId, businessId, platform } = terminal;
  return {
    kind: 'appendEvent',
    event: {
      subject: id,
      // A terminal is registered once and removed once; its id is never reused.
      version: what === 'registered' ? 1 : 2,
      type: `terminal.${what}`,
      occurredAt: at,
      data: { terminalId: id, barberId, businessId, platform },
    },
  };
}
