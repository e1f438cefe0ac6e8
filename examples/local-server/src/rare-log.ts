import { type EpochMs, minuteMs, type Observation } from '@chairside/core';

const processorTroubles: ReadonlySet<string> = new Set(['unavailable', 'rateLimited', 'notSetUp']);
const operationTroubles: ReadonlySet<string> = new Set(['serviceUnavailable', 'internalError']);

/** A limit for the memory, above the number of different lines of a server. */
const maxKinds = 200;

/** A line for a failure; `undefined` for a success. */
export function troubleOf({ kind, ...seen }: Observation): string | undefined {
  if (kind === 'commit' || !('name' in seen)) return undefined;
  const { name, outcome } = seen;
  if (kind === 'processorCall' && !processorTroubles.has(outcome)) return undefined;
  if (kind === 'operation' && !operationTroubles.has(outcome)) return undefined;
  return `${name}: ${outcome}`;
}

/** Prints each line at most once a minute. */
export function createRareLog(print: (line: string) => void, now: () => EpochMs) {
  const printedAt = new Map<string, EpochMs>();
  return (line: string): void => {
    const at = now();
    const last = printedAt.get(line);
    if (last !== undefined && Math.abs(at - last) < minuteMs) return;
    if (printedAt.size >= maxKinds) printedAt.clear();
    printedAt.set(line, at);
    print(line);
  };
}
