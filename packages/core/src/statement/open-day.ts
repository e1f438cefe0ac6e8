import type { Business } from '../host/business.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { ownAccounts, readProgress } from './read-day.ts';

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
  const business = known ?? (yield* await ports.store.businesses.get(businessId));
  const progress = yield* readProgress(ports, business ? ownAccounts(business) : []);
  return Math.max(ports.clock.now(), ...progress.map(({ listedBefore }) => listedBefore));
}
