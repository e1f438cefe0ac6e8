import { isIP } from 'node:net';

/**
 * Whether a request was meant for this server. A web page can make a name of its own point to this
 * machine, and the browser then lets it send what it likes and read what is answered: the demo's
 * tokens are known to everybody. It cannot choose what the Host says: that is its own name.
 */
export function isExpectedHost(host: string | null, baseUrl: string): boolean {
  if (host === null || host === '') return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return hostname === 'localhost' || hostname === new URL(baseUrl).hostname;
}
