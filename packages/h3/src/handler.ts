import type { Chairside, Problem } from '@chairside/core';
import { type Fault, fault } from '@chairside/core/ports';
import { H3, type H3Event } from 'h3';
import { type Fetch, takeOff } from './base-path.ts';
import { createCors } from './cors.ts';
import { beforeLookUp, keyHeader } from './input.ts';
import { type ChairsideHandlerOptions, checkNames, handlerOptions, switchedOn } from './options.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { createService } from './service.ts';

/** The HTTP interface: an h3 app, and ways to respond beside it. */
export interface ChairsideHandler extends H3 {
  /** `fetch` for hosts that leave `basePath` on the path, as Next.js and plain servers do. */
  readonly fetchWithBasePath: Fetch;
  /** Makes a response of a problem, for the host's own routes that call a use case. */
  readonly problemResponse: (problem: Problem) => Response;
  /**
   * Responds in place of the app when a server finds a fault below it. `path` is the requested
   * path, if it is known.
   */
  readonly refuse: (fault: Fault, path?: string) => Response;
}

/**
 * Serves the use cases over HTTP: alone (`createNodeServer(app)`), in a host's own h3 app
 * (`host.mount('/v1', app.fetch)`), or in any Node server (`nodeListener(app)`).
 */
export function chairsideHandler(
  chairside: Chairside,
  options: ChairsideHandlerOptions,
): ChairsideHandler {
  checkNames(options, handlerOptions);
  const { serve, turnAway, refuse, problemResponse, fail } = createService(chairside, options);
  const settings = {
    silent: true,
    allowMalformedURL: true, // malformed paths are rejected at their place in D11's order
    onError: (error: { unhandled?: boolean | undefined; cause?: unknown }, event: H3Event) =>
      fail(error.unhandled === true ? error.cause : error, event),
  };
  const app = new H3(settings);

  const served = [...routes, ...switchedOn(chairside, options)];
  for (const [path, rows] of Map.groupBy(served, ({ path }) => path)) {
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
    return turnAway(event, noResource);
  }

  const methods = [...new Set(served.flatMap(methodsOf))];
  const same = (fetch: Fetch) => fetch;
  const withCors = options.cors === undefined ? same : createCors(options.cors, methods);
  const fetch = guard(app.fetch, refuse);
  app.fetch = withCors(fetch);
  const fetchWithBasePath = withCors(takeOff(options.basePath, fetch, elsewhere()));
  return Object.assign(app, { fetchWithBasePath, problemResponse, refuse });

  /** Paths outside the base path: none has a resource. */
  function elsewhere(): Fetch {
    const outside = createService(chairside, { ...options, basePath: undefined });
    const outsideApp = new H3(settings).all('/**', (event) => outside.turnAway(event, noResource));
    return guard(outsideApp.fetch, refuse);
  }
}

const noResource = fault('notFound', 'There is no resource at this path.');

/** Every GET has a HEAD. */
function methodsOf({ method }: Route): (Route['method'] | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** h3 throws, and the process ends, if path and Host make no valid URL (`Host: a:99999`). */
function guard(fetch: Fetch, refuse: ChairsideHandler['refuse']): Fetch {
  return (request) => {
    try {
      return fetch(request);
    } catch {
      const wrong = fault('badRequest', 'The request has no valid URL.');
      return refuse(beforeLookUp(wrong, request.headers.has(keyHeader)));
    }
  };
}
