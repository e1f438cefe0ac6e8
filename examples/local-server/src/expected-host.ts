import { isIP } from 'node:net';

/**
 * Whether a request is for this server, and not from a page of another site. The demo's tokens are
 * public, and its routes for a shop need none. So this holds for every path.
 */
export function isMeant(headers: Headers, baseUrl: string): boolean {
  const host = headers.get('host');
  return isExpectedHost(host, baseUrl) && isExpectedOrigin(headers.get('origin'), host, baseUrl);
}

/** Programs send no Origin. Any page of `localhost` is the developer's own. */
function isExpectedOrigin(origin: string | null, host: string | null, baseUrl: string): boolean {
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const isOwn = page.host === host || page.origin === new URL(baseUrl).origin;
  return isOwn || page.hostname === 'localhost';
}

/**
 * Whether a request's Host names this server. A web page can point its own domain to this machine.
 * The browser then lets it send requests and read the responses, and the demo's tokens are public.
 * But the page cannot choose the Host header, which is its own domain.
 */
export function isExpectedHost(host: string | null, baseUrl: string): boolean {
  if (host === null || host === '') return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return hostname === 'localhost' || hostname === new URL(baseUrl).hostname;
}
