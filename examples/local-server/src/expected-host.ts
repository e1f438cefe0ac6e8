import { isIP } from 'node:net';

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
