import { requestWithURL } from 'h3';

/** Answers a request of the web platform. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/**
 * Takes the base path off the request's path before `inner` sees it. All other paths go to
 * `elsewhere`, and so does an empty segment after the base path: it must not vanish.
 */
export function takeOff(basePath: string | undefined, inner: Fetch, elsewhere: Fetch): Fetch {
  const base = basePath?.replace(/\/$/, '') ?? '';
  if (base === '') return inner;
  return (request) => {
    if (!URL.canParse(request.url)) return inner(request); // refuses it
    const url = new URL(request.url);
    const isBelow = url.pathname.startsWith(`${base}/`) && !url.pathname.startsWith(`${base}//`);
    if (!isBelow) return elsewhere(request);
    url.pathname = url.pathname.slice(base.length);
    return inner(requestWithURL(request, url.href));
  };
}
