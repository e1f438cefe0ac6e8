import type { EpochMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';

/** A request begins its processor calls within so many of the processor's deadlines. */
const deadlinesPerRequest = 2;

/** The ports of a request that began at this time: a slow processor cannot keep it running for ever. */
export function withDeadline(ports: Ports, startedAt: EpochMs): Ports {
  return { ...ports, endsAt: startedAt + deadlinesPerRequest * ports.processor.deadlineMs };
}

/** The ports of work that no client waits for. */
export function withoutDeadline(ports: Ports): Ports {
  const { endsAt: _endsAt, ...unhurried } = ports;
  return unhurried;
}
