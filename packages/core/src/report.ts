import type { EpochMs } from './domain/time.ts';
import type { Observation } from './ports/observer.ts';
import type { Ports } from './ports/ports.ts';

type Reported = Observation extends infer O
  ? O extends Observation
    ? Omit<O, Times>
    : never
  : never;
type Times = 'startedAt' | 'endedAt';

/** Tells the observer, if there is one; what it throws is its own affair. */
export function report(ports: Ports, what: Reported, startedAt?: EpochMs): void {
  if (ports.observe === undefined) return;
  const endedAt = ports.clock.now();
  try {
    ports.observe({ ...what, startedAt: startedAt ?? endedAt, endedAt });
  } catch {
    // An observer must not be able to stop a payment.
  }
}
