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

/** Reports to the observer, if there is one. */
export function report(ports: Ports, what: Reported, startedAt?: EpochMs): void {
  if (ports.observe === undefined) return;
  const endedAt = ports.clock.now();
  tell(ports.observe, { ...what, startedAt: startedAt ?? endedAt, endedAt });
}

/** Returns the value, or `undefined` after a failure, which is reported to the observer. */
export function valueOrReport<T>(
  ports: Ports,
  name: string,
  result: Result<T, { readonly kind: string }>,
): T | undefined {
  if (result.isOk()) return result.value;
  report(ports, { kind: 'failure', name, outcome: result.error.kind });
  return undefined;
}

/** Calls a function of the host whose failure must not stop a payment. */
export function tell<A extends readonly unknown[]>(
  listener: ((...what: A) => unknown) | undefined,
  ...what: A
): void {
  try {
    const told = listener?.(...what);
    // Catches the rejection of an `async` function: an unhandled one would end the process.
    if (told instanceof Promise) told.catch(() => {});
  } catch {
    // Errors of the host's function are ignored.
  }
}
