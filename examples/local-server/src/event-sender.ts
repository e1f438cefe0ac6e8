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

const plans: Readonly<Record<Exclude<EventPlan, 'inOrder' | 'off'>, SendPlan>> = {
  late: sendLate(minuteMs),
  twice: sendTwice,
  outOfOrder: sendOutOfOrder,
};

/** Sends the simulated processor's events to this server, with the configured disturbances. */
export function createSender(
  fake: FakeProcessor,
  url: string,
  plan: EventPlan,
): EventSender | undefined {
  if (plan === 'off') return undefined;
  return createEventSender({
    fake,
    url,
    clock: systemClock,
    ...(plan !== 'inOrder' && { plan: plans[plan] }),
  });
}
