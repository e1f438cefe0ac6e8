import { ledgerOf } from '../engine/carry.ts';
import type { Business } from '../host/business.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { ownAccounts, readBefore } from './read-day.ts';

/**
 * The time of what no processor books: now, or, if this clock is behind the closed days, the first time after
 * them. A day closes once a list of the business's accounts was read past its end, so no closed day ends later
 * than the one that was read furthest (D50).
 * @param known the business, if it was read already.
 */
export async function* timeOnOpenDay(
  ports: Ports,
  businessId: string,
  known?: Business,
): Steps<EpochMs, StoreUnavailable> {
  const { businesses, sweeps } = ports.store;
  const business = known ?? (yield* await businesses.get(businessId));
  const accounts = business ? ownAccounts(business) : [];
  const reads = await Promise.all(accounts.map((id) => sweeps.get(ledgerOf(ports, id))));
  let at = ports.clock.now();
  for (const read of reads) {
    const swept = yield* read;
    if (swept !== undefined) at = Math.max(at, readBefore(swept));
  }
  return at;
}
