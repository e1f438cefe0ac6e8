import type { Chairside } from '@chairside/core';
import type { H3Event } from 'h3';
import { type ChairsideHandlerOptions, checkNames } from './options.ts';
import { createService } from './service.ts';

export type ProcessorEventsOptions = Pick<
  ChairsideHandlerOptions,
  'problemBase' | 'publicUrl' | 'basePath' | 'newRequestId' | 'onFailure' | 'responseDeadlineMs'
>;

export const processorEventsOptions: Readonly<Record<keyof ProcessorEventsOptions, true>> = {
  problemBase: true,
  publicUrl: true,
  basePath: true,
  newRequestId: true,
  onFailure: true,
  responseDeadlineMs: true,
};

/**
 * Handles the processor's messages (D25), at a path that the host chooses, outside the bearer
 * routes: `app.all('/processor/events', processorEventsHandler(chairside))`. Returns 200 for
 * messages that were applied, repeated or not ours; 400 for an invalid signature; 503 if the
 * message must be sent again.
 */
export function processorEventsHandler(
  chairside: Chairside,
  options: ProcessorEventsOptions = {},
): (event: H3Event) => Promise<Response> {
  checkNames(options, processorEventsOptions);
  const service = createService(chairside, { ...options, authenticate: () => undefined });
  return service.only(['POST'], service.receiveEvent);
}
