import { type Chairside, type Fault, fault, withUnknownOutcome } from '@chairside/core';
import { H3, type H3Event } from 'h3';
import { keyHeader } from './input.ts';
import type { ChairsideHandlerOptions } from './options.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { createService } from './service.ts';

/** The HTTP interface: an h3 app, and a function for bytes that never became a request. */
export interface ChairsideHandler extends H3 {
  /**
   * Responds in place of the app when a server finds a fault below it. `path` is the requested
   * path, if it is known.
   */
  readonly refuse: (fault: Fault, path?: string) => Response;
}

/**
 * Serves the use cases over HTTP: alone (`createNodeServer(app)`, `toNodeHandler(app)`), or in a
 * host's own h3 app (`host.mount('/v1', app.fetch)`).
 */
export function chairsideHandler(
  chairside: Chairside,
  options: ChairsideHandlerOptions,
): ChairsideHandler {
  const { serve, turnAway, refuse, fail } = createService(chairside, options);
  const app = new H3({
    silent: true,
    allowMalformedURL: true, // malformed paths are rejected at their place in D11's order
    onError: (error, event) => fail(error.unhandled === true ? error.cause : error, event),
  });

  for (const [path, rows] of Map.groupBy(routes, ({ path }) => path)) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const allow = rows.flatMap(methodsOf).join(', ');
    for (const row of rows) {
      const serveRow = exactly(serve(row));
      for (const method of methodsOf(row)) app.on(method, pattern, serveRow);
    }
    app.all(
      pattern,
      exactly((event) => turnAway(event, fault('methodNotAllowed', `Use ${allow}.`), allow)),
    );
  }
  app.all('/**', unknownPath);

  /** h3 ignores a trailing slash; here it is a 404. */
  function exactly(handle: (event: H3Event) => Promise<Response>) {
    return (event: H3Event) =>
      event.url.pathname.endsWith('/') ? unknownPath(event) : handle(event);
  }

  function unknownPath(event: H3Event) {
    return turnAway(event, fault('notFound', 'There is no resource at this path.'));
  }

  // h3 throws, and the process ends, if path and Host make no valid URL (`Host: a:99999`).
  const { fetch } = app;
  app.fetch = (request) => {
    try {
      return fetch(request);
    } catch {
      const wrong = fault('badRequest', 'The request has no valid URL.');
      return refuse(request.headers.has(keyHeader) ? withUnknownOutcome(wrong) : wrong);
    }
  };
  return Object.assign(app, { refuse });
}

/** Every GET has a HEAD. */
function methodsOf({ method }: Route): (Route['method'] | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
