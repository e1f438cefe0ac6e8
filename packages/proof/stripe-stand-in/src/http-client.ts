import type Stripe from 'stripe';
import type { Outcome, RawRequest } from './wire.ts';

/** Awaited before the request and before the reply, for simulators that act in between. */
export type Delay = (request: RawRequest, way: 'request' | 'reply') => Promise<void>;

/** The SDK's connection to the stand-in, without a socket and without delay. */
export function createInProcessClient(
  serve: (request: RawRequest) => Outcome,
  delay?: Delay,
): Stripe.HttpClient {
  return {
    getClientName: () => 'in-process',
    async makeRequest(_host, _port, path, method, headers, body) {
      const request: RawRequest = { method, path, headers: lowerCased(headers), body };
      await delay?.(request, 'request');
      const outcome = serve(request);
      await delay?.(request, 'reply');
      switch (outcome.kind) {
        case 'answer':
          return responseOf(outcome);
        case 'refused':
          throw lost('ECONNREFUSED');
        case 'timeout':
          throw lost('ETIMEDOUT');
        case 'reset':
          // Not `ECONNRESET`, which the SDK would retry half a real second later.
          throw lost('ECONNABORTED');
      }
    },
  };
}

function responseOf({ status, headers, text }: Extract<Outcome, { kind: 'answer' }>) {
  return {
    getStatusCode: () => status,
    getHeaders: () => ({ ...headers }),
    getRawResponse: () => ({ headers }),
    toStream() {
      throw new Error('streams are not supported');
    },
    toJSON: async () => JSON.parse(text),
  };
}

function lost(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function lowerCased(
  headers: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  );
}
