import { type Chairside, ok, type Result, ResultAsync, secondMs } from '@chairside/core';
import { type Store, unavailable } from '@chairside/core/ports';
import type { H3Event } from 'h3';
import { isDraining } from './drain.ts';
import { inTime } from './in-time.ts';
import { checkNames } from './options.ts';
import { type ProcessorEventsOptions, processorEventsOptions } from './processor-events.ts';
import { createService } from './service.ts';

export interface ReadinessOptions extends ProcessorEventsOptions {
  /** Asked with one read at each probe. */
  readonly store: Pick<Store, 'sweeps'>;
  /**
   * Asks the processor, for example `() => stripe.checkAccount({ id: 'acct_1' })`. It is asked until it has
   * replied once: a node with a wrong key or without a way out never serves. Later outages take no node
   * away, because they are the same for all, and a problem tells an app more than no response.
   */
  readonly reachProcessor: () => ResultAsync<unknown, unknown> | Promise<Result<unknown, unknown>>;
}

const readinessOptions: Readonly<Record<keyof ReadinessOptions, true>> = {
  ...processorEventsOptions,
  store: true,
  reachProcessor: true,
};

/** A first connection to a processor takes a second or two. */
const longestMs = 5 * secondMs;
/** Never the name of the books. */
const noBooks = 'readiness';

/**
 * Says to a load balancer whether this process should get requests, at a path of the host's own choice:
 * `app.get('/ready', readinessHandler(chairside, { store, reachProcessor }))`. 200, or 503 with what
 * is missing: the store, the processor, or the time, because the process drains. A database of another account,
 * mode or installation is a missing one, because every request would be refused.
 */
export function readinessHandler(
  chairside: Chairside,
  options: ReadinessOptions,
): (event: H3Event) => Promise<Response> {
  checkNames(options, readinessOptions);
  const { store, reachProcessor, ...http } = options;
  const service = createService(chairside, { ...http, authenticate: () => undefined });
  let hasReached = false;
  let isHome = false;

  async function missing(): Promise<string | undefined> {
    if (isDraining(chairside)) return 'The process is about to end.';
    const [isStored, isReached] = await Promise.all([
      isReachable(async () => store.sweeps.get(noBooks)),
      hasReached || isReachable(async () => reachProcessor()),
    ]);
    hasReached ||= isReached;
    if (!isStored) return 'The store cannot be reached.';
    isHome ||= await isReachable(async () => chairside.ports.home?.look() ?? ok());
    if (!isHome) return 'The database belongs to another account, mode or installation.';
    return isReached ? undefined : 'The processor cannot be reached, or rejects the key.';
  }

  return service.only(['GET', 'HEAD'], async (event) => {
    const why = await missing();
    return why === undefined
      ? service.run(event, () => new ResultAsync(Promise.resolve(ok({ ready: true }))))
      : service.turnAway(event, unavailable(why, 'notApplied'));
  });
}

async function isReachable(ask: () => Promise<Result<unknown, unknown>>): Promise<boolean> {
  try {
    return (await inTime(ask(), longestMs, 'the probe took more than')).isOk();
  } catch {
    return false;
  }
}
