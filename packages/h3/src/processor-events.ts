import { type Chairside, fault } from '@chairside/core';
import type { H3Event } from 'h3';
import type { ChairsideHandlerOptions } from './options.ts';
import { createService } from './service.ts';

export type ProcessorEventsOptions = Pick<
  ChairsideHandlerOptions,
  'problemBase' | 'publicUrl' | 'basePath' | 'newRequestId' | 'onFailure'
>;

/**
 * Takes in the processor's messages (D25), at a path of the host's own choice and outside the bearer
 * routes: `app.all('/processor/events', processorEventsHandler(chairside))`.
 * Answers 200 for what was applied, known or none of ours; 400 for a signature that does not hold;
 * 503 where the message is to come again.
 */
export function processorEventsHandler(
  chairside: Chairside,
  options: ProcessorEventsOptions = {},
): (event: H3Event) => Promise<Response> {
  const service = createService(chairside, { ...options, authenticate: () => undefined });
  return async (event) => {
    try {
      return event.req.method === 'POST'
        ? await service.receiveEvent(event)
        : await service.turnAway(event, fault('methodNotAllowed', 'Use POST.'), 'POST');
    } catch (thrown) {
      return service.fail(thrown, event);
    }
  };
}
