import { paymentAccount } from '../../domain/business.ts';
import type { Steps } from '../../domain/result.ts';
import type { Terminal } from '../../domain/terminal.ts';
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
