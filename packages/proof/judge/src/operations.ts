import type { Event } from './history.ts';

type Completion = Exclude<Event, { readonly type: 'invoke' }>;

/** A request with its end. Positions in the history are its moments. */
export interface Operation {
  readonly from: number;
  /** Infinite if its effect may come later. */
  readonly to: number;
  readonly end: Completion;
}

/**
 * Pairs each `invoke` with the next event of its process. A request without an end is `info`: its
 * process died. Reads without an answer say nothing, and are left out.
 */
export function operationsOf(history: readonly Event[]): readonly Operation[] {
  const operations: Operation[] = [];
  const underWay = new Map<number, { readonly from: number; readonly event: Event }>();
  const add = (from: number, to: number, end: Completion) => {
    const isLater = end.type === 'info' || to === Number.POSITIVE_INFINITY;
    if (end.f === 'read' && end.type !== 'ok') return;
    operations.push({ from, to: isLater ? Number.POSITIVE_INFINITY : to, end });
  };
  for (const [moment, event] of history.entries()) {
    const begun = underWay.get(event.process);
    if (event.type === 'invoke') {
      if (begun !== undefined) throw new Error(`process ${event.process} has two requests`);
      underWay.set(event.process, { from: moment, event });
    } else {
      if (begun?.event.f !== event.f) throw new Error(`event ${moment} ends no request`);
      underWay.delete(event.process);
      add(begun.from, moment, event);
    }
  }
  for (const { from, event } of underWay.values()) {
    add(from, Number.POSITIVE_INFINITY, { ...event, type: 'info' });
  }
  return operations;
}
