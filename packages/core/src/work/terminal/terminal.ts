import { paymentAccount } from '../../domain/business.ts';
import type { Steps } from '../../domain/result.ts';
import type { Terminal } from '../../domain/terminal.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import type { TerminalView } from '../../schemas/terminal.ts';
import { viewTerminal } from '../../schemas/views.ts';

/** Shows terminals, each with the location of the business that it was registered for (D6). */
export async function* showTerminals(
  { store }: Ports,
  terminals: readonly Terminal[],
): Steps<TerminalView[], StoreUnavailable> {
  const locations = new Map<string, string | undefined>();
  for (const { businessId } of terminals) {
    if (locations.has(businessId)) continue;
    const business = yield* await store.businesses.get(businessId);
    locations.set(businessId, paymentAccount(business ?? undefined)?.terminalLocation);
  }
  return terminals.map((terminal) => viewTerminal(terminal, locations.get(terminal.businessId)));
}

export async function* showTerminal(
  { store }: Ports,
  terminal: Terminal,
): Steps<TerminalView, StoreUnavailable> {
  const business = yield* await store.businesses.get(terminal.businessId);
  return viewTerminal(terminal, paymentAccount(business ?? undefined)?.terminalLocation);
}

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
