import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { pathOf } from './exchange.ts';
import type { ChairsideHandler } from './handler.ts';
import { beforeLookUp, keyHeader } from './input.ts';
import { faultOf } from './node-faults.ts';

/**
 * A listener for Node's requests: `app.use('/payments', nodeListener(payments))` in Express, or
 * `createServer(nodeListener(payments))`. The path may come with the base path or without it. Throws a TypeError for
 * another value.
 */
export function nodeListener(
  app: Pick<ChairsideHandler, 'fetch' | 'fetchWithBasePath' | 'refuse'>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  // Hosts without types may pass another function: then no request would get a response.
  if (typeof app?.fetchWithBasePath !== 'function') {
    throw new TypeError('nodeListener: takes what chairsideHandler returns');
  }
  const whole = { fetch: app.fetchWithBasePath, refuse: app.refuse };
  return async (request, response) => {
    // Frameworks that take a prefix off, as Express does, keep the whole path beside it.
    const isTakenOff = 'originalUrl' in request && request.originalUrl !== request.url;
    try {
      await sendNodeResponse(response, await respond(isTakenOff ? app : whole, request, response));
    } catch {
      // The connection is gone, or the response could not be written.
      response.destroy();
    }
  };
}

/** Sends a response of the web platform, such as that of `problemResponse`, on Node's. */
export function sendResponse(response: ServerResponse, answered: Response): Promise<void> {
  return sendNodeResponse(response, answered);
}

/** The app's response, or a refusal for what no app should see. */
export function respond(
  app: Pick<ChairsideHandler, 'fetch' | 'refuse'>,
  request: IncomingMessage,
  response: ServerResponse,
): Response | Promise<Response> {
  const wrong = faultOf(request);
  return wrong === undefined
    ? app.fetch(new NodeRequest({ req: request, res: response }))
    : app.refuse(beforeLookUp(wrong, keyHeader in request.headers), pathOf(request.url ?? ''));
}
