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
  ports: Ports,
  terminals: readonly Terminal[],
): Steps<TerminalView[], StoreUnavailable> {
  const locations = new Map<string, string | undefined>();
  for (const { businessId } of terminals) {
    if (locations.has(businessId)) continue;
    locations.set(businessId, yield* readLocation(ports, businessId));
  }
  return terminals.map((terminal) => viewTerminal(terminal, locations.get(terminal.businessId)));
}

/** The processor's location of a business's terminals, if there is one. */
export async function* readLocation(
  { store }: Ports,
  businessId: string,
): Steps<string | undefined, StoreUnavailable> {
  const business = yield* await store.businesses.get(businessId);
  return paymentAccount(business)?.terminalLocation;
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
