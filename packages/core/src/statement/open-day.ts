import type { Business } from '../host/host.ts';
import { readBusiness } from '../payment/find.ts';
import type { Payment } from '../payment/payment.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { ownAccounts, readProgress } from './read-day.ts';
import type { SettlementEntry } from './settlement.ts';

/**
 * The time of what no processor books: now, or, if this clock is behind the closed days, the first time after
 * them. A day closes once a list of the business's accounts was read past its end, so no closed day ends later
 * than the one that was read furthest (D50).
 * @param known the business, if it was read already.
 * @param at another time than now, which stays if its day is open.
 */
export async function* timeOnOpenDay(
  ports: Ports,
  businessId: string,
  known?: Business,
  at = ports.clock.now(),
): Steps<EpochMs, StoreUnavailable> {
  const business = known ?? (yield* await readBusiness(ports, businessId));
  const progress = yield* readProgress(ports, ownAccounts(business));
  const closedBefore = Math.max(...progress.map(({ listedBefore }) => listedBefore));
  return at >= closedBefore ? at : Math.max(ports.clock.now(), closedBefore);
}

/** A time of the processor. Without its entries, nothing keeps a day open for what it tells late (D50). */
export async function* timeOfTold(
  ports: Ports,
  { businessId }: Payment,
  at: EpochMs,
): Steps<EpochMs, StoreUnavailable> {
  if (ports.processor.settlements !== undefined) return at;
  return yield* timeOnOpenDay(ports, businessId, undefined, at);
}

/**
 * The time of what a person had denied and the processor shows after all: its own, or one on an open day if its day
 * may have closed without it (D50, D201).
 */
export async function* timeOfDenied(
  ports: Ports,
  { id, businessId }: Payment,
  kind: SettlementEntry['kind'],
  at: EpochMs,
): Steps<EpochMs, StoreUnavailable> {
  const openAt = yield* timeOnOpenDay(ports, businessId, undefined, at);
  // The processor's entry has kept its day from closing.
  const entries = yield* await ports.store.settlements.listByPayment(id, maxEntries);
  return entries.some((entry) => entry.kind === kind) ? at : openAt;
}

const maxEntries = 1000;
