import type { EpochMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';

/** A request starts processor calls only within this many processor deadlines. */
const deadlinesPerRequest = 2;

/**
 * The ports of a request that began at this time. A slow processor cannot prolong it without limit.
 */
export function withDeadline(ports: Ports, startedAt: EpochMs): Ports {
  const endsAt = startedAt + deadlinesPerRequest * ports.processor.deadlineMs;
  // Without a finite deadline of the processor there is no limit (D146).
  return Number.isFinite(endsAt) ? { ...ports, endsAt } : ports;
}

/** The ports of background work, for which no client waits. */
export function withoutDeadline(ports: Ports): Ports {
  return { ...ports, endsAt: undefined };
}
