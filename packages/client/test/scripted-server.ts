import type { Fetch } from '../src/index.ts';
import { problemBase } from './shop.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Script = (sent: Sent, signal: AbortSignal) => Response | Promise<Response>;

/**
 * Responds to the first request with the first of `scripts`, and to all later ones with the last.
 */
export function scriptedServer(...scripts: readonly Script[]): {
  readonly fetch: Fetch;
  readonly sent: readonly Sent[];
} {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { method, headers, body, signal }) => {
    const request = { method, path: url.replace(/^https?:\/\/[^/]+/, ''), headers, body };
    sent.push(request);
    const script = scripts[Math.min(sent.length, scripts.length) - 1];
    if (script === undefined) throw new Error('nothing was scripted');
    return script(request, signal);
  };
  return { fetch, sent };
}

export const lost = (): never => {
  throw new Error('Network request failed');
};

export const hangs = () => new Promise<Response>(() => {});

export function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return () => Response.json(body, { status, headers });
}

interface Given {
  readonly outcome?: string;
  readonly retry?: string;
  readonly sessionAction?: string;
  readonly reason?: string;
  readonly retryAfter?: string;
}

/** A problem of this interface. */
export function problem(status: number, type: string, given: Given = {}) {
  const { outcome = 'notApplied', retry = 'doNotRetry', sessionAction, reason, retryAfter } = given;
  const body = {
    type: `${problemBase}/problems/${type}`,
    title: type,
    status,
    occurredAt: '2026-11-02T09:00:00.000Z',
    id: 'prb_1',
    recovery: { outcome, retry, ...(sessionAction !== undefined && { sessionAction }) },
    ...(reason !== undefined && { attributes: { reason } }),
  };
  return json(status, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
}
