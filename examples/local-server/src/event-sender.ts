import {
  type EpochMs,
  err,
  minuteMs,
  ok,
  type Result,
  secondMs,
  systemClock,
} from '@chairside/core';
import type { FakeProcessor, StorageFailed } from '@chairside/fake-processor';
import type { EventPlan } from './config.ts';

/** An event in the queue. */
interface QueuedEvent {
  /** The event's text. Each attempt signs it again. */
  readonly payload: string;
  readonly takenAt: EpochMs;
  /** The number of failed attempts. */
  readonly attempts: number;
}

type Queue = readonly QueuedEvent[];

/** The messages of the queue that are sent now, in this order. One that is left out is offered again next time. */
const plans: Readonly<Record<EventPlan, (queue: Queue, now: EpochMs) => Queue>> = {
  inOrder: (queue) => queue,
  off: () => [],
  late: (queue, now) => queue.filter(({ takenAt }) => now - takenAt >= minuteMs),
  twice: (queue) => queue.flatMap((event) => [event, event]),
  outOfOrder: (queue) => queue.toReversed(),
};

const maxQueued = 100;
const maxAttempts = 5;
const timeoutMs = 10 * secondMs;

export interface EventSender {
  /** Posts the pending messages one by one. If no response arrives, the rest waits for the next call. */
  send(): Promise<Result<void, StorageFailed>>;
}

/**
 * Delivers the simulated processor's events to this server as a processor does: at least once, unless it gives up,
 * with the disturbances that `planNow` returns. Messages that were taken but not delivered are lost when the process
 * ends, as real messages are.
 */
export function createSender(
  fake: Pick<FakeProcessor, 'takeEvents' | 'signEvent'>,
  url: string,
  planNow: () => EventPlan,
  clock = systemClock,
): EventSender {
  let queue: Queue = [];

  /** Returns the status; `undefined` if no response arrived. */
  async function post(event: QueuedEvent): Promise<number | undefined> {
    try {
      const { headers, payload: body } = fake.signEvent(event.payload);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  }

  return {
    async send() {
      const taken = fake.takeEvents(maxQueued - queue.length);
      if (taken.isErr()) return err(taken.error);
      const now = clock.now();
      const added = taken.value.map(({ payload }) => ({ payload, takenAt: now, attempts: 0 }));
      queue = [...queue, ...added];
      const accepted = new Set<QueuedEvent>();
      const refused = new Set<QueuedEvent>();
      for (const event of plans[planNow()](queue, now)) {
        const status = await post(event);
        const isAccepted = status !== undefined && status >= 200 && status < 300;
        (isAccepted ? accepted : refused).add(event);
        if (status === undefined) break;
      }
      queue = queue
        .filter((event) => !accepted.has(event))
        .map((event) => (refused.has(event) ? { ...event, attempts: event.attempts + 1 } : event))
        .filter(({ attempts }) => attempts < maxAttempts);
      return ok();
    },
  };
}
