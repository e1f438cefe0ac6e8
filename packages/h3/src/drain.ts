import { type Chairside, secondMs } from '@chairside/core';
import { type Store, toTimeoutMs } from '@chairside/core/ports';
import { inTime } from './in-time.ts';

export interface DrainOptions {
  /**
   * Ends what takes new work, and resolves when the work that it has begun is over: closes the server,
   * stops the timers of `reconcile` and `events.deliver`.
   */
  readonly stop: () => PromiseLike<unknown>;
  /** Closed at the end. */
  readonly store: Pick<Store, 'close'>;
  /**
   * Requests are still served for this long, because a load balancer goes on sending them until it has
   * noticed. Default: 5 seconds.
   */
  readonly noticeMs?: number | undefined;
  /** The drain ends after this time, whatever still runs. Default: 25 seconds. */
  readonly deadlineMs?: number | undefined;
}

/**
 * `whole`: all that was begun has ended. `closeFailed`: so it has, but the store could not be closed.
 * Otherwise a retry or `reconcile` of another node ends it.
 */
export type Drained = 'whole' | 'stopFailed' | 'closeFailed' | 'tooLate';

const drains = new WeakMap<Chairside, Promise<Drained>>();

/** Whether the process is about to end. */
export function isDraining(chairside: Chairside): boolean {
  return drains.has(chairside);
}

/**
 * Ends a process without breaking off what it has begun: `readinessHandler` says 503 from now on, requests
 * are served for `noticeMs`, then `stop` is called, background work is awaited, and the store is closed.
 * Never rejects. A second call returns the first one's promise, because a signal may arrive twice.
 *
 * @example
 * process.on('SIGTERM', async () => {
 *   const drained = await drain(chairside, { store, stop: () => server.close() });
 *   process.exit(drained === 'whole' ? 0 : 1);
 * });
 */
export function drain(chairside: Chairside, options: DrainOptions): Promise<Drained> {
  const drained = drains.get(chairside) ?? within(options, () => inOrder(chairside, options));
  drains.set(chairside, drained);
  return drained;
}

async function inOrder(chairside: Chairside, options: DrainOptions): Promise<Drained> {
  await new Promise((resolve) => setTimeout(resolve, options.noticeMs ?? 5 * secondMs));
  let drained: Drained = 'whole';
  try {
    await options.stop();
  } catch {
    drained = 'stopFailed';
  }
  await chairside.settled();
  try {
    await options.store.close();
  } catch {
    return drained === 'whole' ? 'closeFailed' : drained;
  }
  return drained;
}

function within(options: DrainOptions, work: () => Promise<Drained>): Promise<Drained> {
  const deadlineMs = toTimeoutMs(options.deadlineMs, 25 * secondMs);
  return inTime(work(), deadlineMs, 'the drain took more than').catch((): Drained => 'tooLate');
}
