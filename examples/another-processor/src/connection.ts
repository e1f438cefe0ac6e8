import { err, ok, type Result } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import * as v from 'valibot';

/** Sends one request. `fetch` is one; a test gives the stand-in's. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request to Tally. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Tally answers a second request with this id as it answered the first. */
  readonly requestId?: string;
}

export interface Reply<T> {
  readonly value: T;
  /** Tally's time when it sent this. */
  readonly at: number;
}

/** The requests of one call of the port, which end together. */
export interface Call {
  ask<Shape extends v.GenericSchema>(
    question: Question,
    shape: Shape,
  ): Promise<Result<Reply<v.InferOutput<Shape>>, ProcessorError>>;
}

export interface ConnectionOptions {
  readonly fetch: Fetch;
  readonly url: string;
  readonly apiKey: string;
  readonly deadlineMs: number;
}

const maxReplyBytes = 1_000_000;

/** No reply arrived, or one that cannot be believed. */
export const unknown: ProcessorError = {
  kind: 'unavailable',
  outcome: 'unknown',
  answered: false,
};
/** Tally itself failed, and says so again for the same request id. */
const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };
const notSent: ProcessorError = { kind: 'unavailable', outcome: 'notApplied', answered: false };

export const rejected = (reason: string): ProcessorError => ({ kind: 'rejected', reason });

const problemShape = v.object({ code: v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/)) });

/** Begins the requests of one call of the port. */
export function beginCall({ fetch, url, apiKey, deadlineMs }: ConnectionOptions): Call {
  const signal = AbortSignal.timeout(deadlineMs);

  async function send({ method, path, query, body, requestId }: Question): Promise<Response> {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    return fetch(`${url}${path}${search}`, {
      method,
      signal,
      redirect: 'error',
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(requestId !== undefined && { 'request-id': requestId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  return {
    async ask(question, shape) {
      try {
        const response = await send(question);
        const text = await textOf(response);
        if (!response.ok) return err(errorOf(response.status, text));
        const at = Date.parse(response.headers.get('date') ?? '');
        const parsed = v.safeParse(shape, JSON.parse(text));
        return parsed.success && Number.isFinite(at)
          ? ok({ value: parsed.output, at })
          : err(unknown);
      } catch (error) {
        return err(wasNeverSent(error) ? notSent : unknown);
      }
    },
  };
}

/** Throws for a body that is too long. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxReplyBytes) throw new Error('the reply is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** The proof that a reply without success gives. Its text may hold secrets, so only its code is kept. */
function errorOf(status: number, text: string): ProcessorError {
  if (status === 429) return { kind: 'rateLimited' };
  if (status === 403) return { kind: 'notSetUp' };
  if (status < 400 || status >= 500) return failed;
  try {
    return rejected(v.parse(problemShape, JSON.parse(text)).code);
  } catch {
    // A proxy on the way may have refused a reply that Tally had sent.
    return unknown;
  }
}

const neverSent: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

function wasNeverSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && neverSent.includes(cause.code);
}
