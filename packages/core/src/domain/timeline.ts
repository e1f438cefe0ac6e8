import type { EpochMs } from './time.ts';

/** One line of a payment's history. Holds no secret. */
export interface TimelineEntry {
  readonly at: EpochMs;
  /** The event: a new state, or a call to the processor and its outcome. */
  readonly what: string;
  /** Its trigger: an operation, a processor event, `reconcile`. */
  readonly cause: string;
}

/** A timeline keeps at most this many entries: the first and the latest. */
export const maxTimelineEntries = 64;

/** Adds a line to the timeline, within its bound. */
export function noted(
  timeline: readonly TimelineEntry[],
  entry: TimelineEntry,
): readonly TimelineEntry[] {
  // The beginning and the end explain the most, so entries in the middle are dropped.
  const kept =
    timeline.length < maxTimelineEntries
      ? timeline
      : [
          ...timeline.slice(0, maxTimelineEntries / 2),
          ...timeline.slice(maxTimelineEntries / 2 + 1),
        ];
  return [...kept, entry];
}
