import { withoutSlash } from './outgoing.ts';
import { isObject } from './parse.ts';
import type { Collected, Reader } from './reader.ts';
import type { Fetch } from './settings.ts';

export interface SimulatedTerminalOptions {
  /** The address of the local server. */
  readonly baseUrl: string;
  /** Returns the name of the customer's card, such as `visa_credit`. */
  readonly card: () => string | Promise<string>;
  readonly fetch?: Fetch | undefined;
}

/** The terminal of the local server, for pages and tests without a phone: `POST /demo/taps`. */
export function simulatedTerminal(options: SimulatedTerminalOptions): Reader {
  const { baseUrl, card, fetch: send = (url, init) => fetch(url, init) } = options;

  async function tap(clientSecret: string, signal: AbortSignal): Promise<Collected> {
    const canceled = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined));
    });
    const held = await Promise.race([card(), canceled]);
    if (held === undefined || signal.aborted) return 'canceled';
    const response = await send(`${withoutSlash(baseUrl)}/demo/taps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientSecret, card: held }),
      signal,
    });
    const body: unknown = JSON.parse(await response.text());
    const status = response.status === 200 && isObject(body) ? String(body['status']) : '';
    return saidBy[status] ?? 'unknown';
  }

  return {
    ready: async () => undefined,
    retrieve: async (clientSecret) => ({
      // As with real processors, the secret begins with the reference.
      reference: clientSecret.split('_secret_', 1).join(),
      async collect(signal) {
        try {
          return await tap(clientSecret, signal);
        } catch {
          return 'unknown';
        }
      },
    }),
  };
}

const saidBy: Readonly<Record<string, Collected>> = {
  authorized: 'approved',
  processing: 'processing',
  declined: 'declined',
  canceled: 'canceled',
};
