import { ok, type Result } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';

// Age is measured by a clock that all nodes share. So a node with a wrong clock does not cancel or
// delete too early (D42).

/**
 * The time for measuring age: the processor's, if its reply states one; else the database server's;
 * else the node's.
 */
export async function timeOf(
  ports: Ports,
  seen?: { readonly at?: EpochMs },
): Promise<Result<EpochMs, StoreUnavailable>> {
  if (seen?.at !== undefined) return ok(seen.at);
  return ports.store.now === undefined ? ok(ports.clock.now()) : ports.store.now();
}

/** The ports on the database server's time, if the store has one: the clock and the deadline. */
export async function onSharedTime(ports: Ports): Promise<Result<Ports, StoreUnavailable>> {
  const { clock, endsAt } = ports;
  const shared = await timeOf(ports);
  return shared.map((now) => {
    const aheadMs = clock.now() - now;
    if (aheadMs === 0) return ports;
    return {
      ...ports,
      clock: { now: () => clock.now() - aheadMs },
      endsAt: endsAt === undefined ? undefined : endsAt - aheadMs,
    };
  });
}
