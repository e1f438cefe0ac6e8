import type { Result } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Observation } from '../ports/observer.ts';
import type { Ports } from '../ports/ports.ts';

type Reported = Observation extends infer O
  ? O extends Observation
    ? Omit<O, Times>
    : never
  : never;
type Times = 'startedAt' | 'endedAt';

/** Tells the observer, if there is one. */
export function report(ports: Ports, what: Reported, startedAt?: EpochMs): void {
  if (ports.observe === undefined) return;
  const endedAt = ports.clock.now();
  tell(ports.observe, { ...what, startedAt: startedAt ?? endedAt, endedAt });
}

/** The value, or nothing where it failed: the observer is told of that, and the caller goes on. */
export function valueOrReport<T>(
  ports: Ports,
  name: string,
  result: Result<T, { readonly kind: string }>,
): T | undefined {
  if (result.isOk()) return result.value;
  report(ports, { kind: 'failure', name, outcome: result.error.kind });
  return undefined;
}

/** Tells a function of the host's, which must not be able to stop a payment by failing. */
export function tell<A extends readonly unknown[]>(
  listener: ((...what: A) => unknown) | undefined,
  ...what: A
): void {
  try {
    const told = listener?.(...what);
    // One that is `async` after all: a rejection that nobody looks at would end the process.
    if (told instanceof Promise) told.catch(() => {});
  } catch {
    // Its own affair.
  }
}
