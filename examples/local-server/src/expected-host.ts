import { isIP } from 'node:net';

/**
 * Whether a request is for this server, and not from a page of another site. The demo's tokens are
 * public, and its routes for a shop need none. So this holds for every path.
 */
export function isMeant({ url, headers }: Request, baseUrl: string): boolean {
  // Of the target where it names a host, and otherwise of the Host header.
  const { host } = new URL(url);
  return isExpectedHost(host, baseUrl) && isExpectedOrigin(headers.get('origin'), host, baseUrl);
}

/** Programs send no Origin. Any page of `localhost` is the developer's own. */
function isExpectedOrigin(origin: string | null, host: string, baseUrl: string): boolean {
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const isOwn = page.host === host || page.origin === new URL(baseUrl).origin;
  return isOwn || page.hostname === 'localhost';
}

/**
 * Whether the host that a request names is this server. A web page can point its own domain to this machine.
 * The browser then lets it send requests and read the responses, and the demo's tokens are public.
 * But the page cannot choose that host, which is its own domain.
 */
export function isExpectedHost(host: string, baseUrl: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return hostname === 'localhost' || hostname === new URL(baseUrl).hostname;
}
