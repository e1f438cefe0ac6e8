import type { EventKey } from '@chairside/core/ports';

/** A unique name for an event, or for a key of a subject. */
export function pair(a: string, b: string | number): string {
  return JSON.stringify([a, b]);
}

export function keyOf({ subject, version }: EventKey): string {
  return pair(subject, version);
}

export function compareKeys(a: EventKey, b: EventKey): number {
  if (a.subject === b.subject) return a.version - b.version;
  return a.subject < b.subject ? -1 : 1;
}
