import { behind } from '../frame/perform.ts';
import type { Measured, Ports, SharedClock } from '../ports/ports.ts';
import type { Store, StoreUnavailable } from '../ports/store.ts';
import { err, ok, type Result } from '../values/result.ts';
import { type EpochMs, hourMs, minuteMs, secondMs } from '../values/time.ts';

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
  const shared = await timeOf(ports);
  return shared.map((now) => behind(ports, ports.clock.now() - now));
}

/** In use, the difference is measured again this often, in the background. */
const refreshMs = minuteMs;
/**
 * After this long without a measurement the node was idle, or its clock was set. The next operation then
 * waits for one.
 */
const staleMs = hourMs;
/** The process stood still during a measurement that takes longer, or its clock was set. */
const longestMs = 10 * secondMs;
/** A smaller difference is not corrected, so that the time of a node does not go back and forth. */
const toleranceMs = secondMs;

const notTold: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/** `undefined` if the store has no clock: the node's counts, which is the only one. */
export function createSharedClock(
  store: Store,
  { clock, background }: Pick<Ports, 'clock' | 'background'>,
): SharedClock | undefined {
  if (store.now === undefined) return undefined;
  let known: Measured = err(notTold);
  let measuredAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<Measured> | undefined;

  async function measure(): Promise<Measured> {
    const before = clock.now();
    const told = await (store.now?.() ?? ok(before));
    const after = clock.now();
    if (told.isErr() || after < before || after - before > longestMs) return known;
    const aheadMs = Math.round((before + after) / 2) - told.value;
    const correctedMs = known.unwrapOr(0);
    known = ok(Math.abs(aheadMs - correctedMs) < toleranceMs ? correctedMs : aheadMs);
    measuredAt = after;
    return known;
  }

  return {
    aheadMs() {
      const now = clock.now();
      // It may have been set back, too.
      const ageMs = Math.abs(now - measuredAt);
      if (ageMs >= staleMs) {
        running ??= measure().finally(() => {
          running = undefined;
        });
        return running;
      }
      if (ageMs >= refreshMs && Math.abs(now - triedAt) >= refreshMs) {
        triedAt = now;
        background(async () => {
          known = await measure();
        });
      }
      return known;
    },
  };
}
