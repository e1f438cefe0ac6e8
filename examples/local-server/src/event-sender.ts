import { minuteMs, systemClock } from '@chairside/core';
import type { FakeProcessor } from '@chairside/fake-processor';
import {
  createEventSender,
  type EventSender,
  type SendPlan,
  sendLate,
  sendOutOfOrder,
  sendTwice,
} from '@chairside/fake-processor/event-sender';
import type { EventPlan } from './config.ts';

const plans: Readonly<Record<EventPlan, SendPlan>> = {
  inOrder: (queue) => queue,
  off: () => [],
  late: sendLate(minuteMs),
  twice: sendTwice,
  outOfOrder: sendOutOfOrder,
};

/**
 * Sends the simulated processor's events to this server, with the disturbances that `planNow` returns.
 * Events that are held back wait until it returns another plan.
 */
export function createSender(
  fake: FakeProcessor,
  url: string,
  planNow: () => EventPlan,
): EventSender {
  return createEventSender({
    fake,
    url,
    clock: systemClock,
    plan: (queue, now) => plans[planNow()](queue, now),
  });
}
