import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { secondMs } from '@chairside/core';
import type Stripe from 'stripe';
import { type Deadline, maySend, sendingDeadline } from './deadline.ts';

/** The request was never sent, so it was not applied. */
export const notSentCode = 'CHAIRSIDE_NOT_SENT';
/** The request may have been sent, and no readable reply arrived. */
const lostCode = 'CHAIRSIDE_LOST';

/** Keeps sockets open between calls. Requests beyond the maximum wait, within their own time. */
const connections = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16, timeout: 30 * secondMs };

export interface Transport extends Stripe.HttpClient {
  /** Closes idle connections. */
  close(): void;
}

/**
 * The connection to Stripe. It is stricter than the SDK's own:
 * - one time-out for the whole call, body included, not for each silence in it;
 * - replies have a maximum length;
 * - redirects are not followed, and do not count as replies;
 * - a request that was provably never sent has its own error;
 * - a request is written only to an open connection, after a last look at both clocks of the deadline:
 *   a machine that sleeps between two lines must not send a key that Stripe has forgotten;
 * - requests are never repeated, with one exception: if a kept connection was closed meanwhile, the
 *   same request with the same idempotency key goes out again on a new one.
 */
export function createTransport(maxReplyBytes: number): Transport {
  const agents = { http: new HttpAgent(connections), https: new HttpsAgent(connections) };

  async function send(wire: Wire): Promise<Answer> {
    const first = await attempt(wire, maxReplyBytes);
    if (first.kind !== 'stale') return answerOf(first);
    // Other kept connections may be closed too, so the second attempt opens its own.
    const fresh = { ...wire, options: { ...wire.options, agent: false } };
    const second = await attempt(fresh, maxReplyBytes);
    // Whether this reply also ends the first request, which may have been applied. For a 5xx, `toFailure`
    // decides that by its headers.
    const isDecisive = second.kind === 'answered' && !doorStatuses.has(second.answer.status);
    return answerOf(isDecisive ? second : { kind: 'lost', why: 'closed' });
  }

  return {
    getClientName: () => 'chairside',
    async makeRequest(host, port, path, method, headers, body, protocol) {
      const secure = protocol !== 'http';
      const answer = await send({
        secure,
        deadline: sendingDeadline.getStore(),
        body,
        options: {
          host,
          port,
          path,
          method,
          // cast: the SDK's headers are Node's, but typed by hand
          headers: headers as Record<string, string>,
          agent: secure ? agents.https : agents.http,
        },
      });
      return responseOf(answer);
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Wire {
  readonly secure: boolean;
  readonly deadline: Deadline | undefined;
  readonly body: string;
  readonly options: RequestOptions;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

type Attempt =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** A kept connection had been closed: no byte of a reply arrived. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'lost' | 'notSent'; readonly why: string };

/** Rejections before Stripe looks up the key's stored reply. */
const doorStatuses = new Set([401, 403, 429]);

function answerOf(attempt: Attempt): Answer {
  if (attempt.kind === 'answered') return attempt.answer;
  const why = attempt.kind === 'stale' ? 'closed' : attempt.why;
  throw failed(why, attempt.kind === 'notSent' ? notSentCode : lostCode);
}

/** The SDK retries only failures whose code it knows, and our codes are unknown to it. */
function failed(why: string, code: string): Error {
  return Object.assign(new Error(why), { code });
}

/** The SDK repeats a request after these, half a second later, although its retries are off. */
const repeatedCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Keeps the SDK from repeating a request, an overdue request from the client, and a reply that is not
 * Stripe's from the SDK.
 */
export function guarded(client: Stripe.HttpClient): Stripe.HttpClient {
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...wire) {
      if (!maySend(sendingDeadline.getStore())) throw failed('timed out', notSentCode);
      try {
        return checked(await client.makeRequest(...wire));
      } catch (thrown) {
        if (repeatedCodes.has(Reflect.get(Object(thrown), 'code')))
          throw failed('closed', lostCode);
        throw thrown;
      }
    },
  };
}

function attempt(
  { secure, deadline, body, options }: Wire,
  maxReplyBytes: number,
): Promise<Attempt> {
  return new Promise((resolve) => {
    let wasSent = false;
    let hasAnswer = false;
    let isFinished = false;
    const request = (secure ? httpsRequest : httpRequest)(options);
    const timer = setTimeout(() => end('timed out'), Math.max(0, deadline?.remainingMs() ?? 0));

    /** The first end counts; later ones are ignored. */
    function finish(result: Attempt): void {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      resolve(result);
      if (result.kind !== 'answered') request.destroy();
    }
    const end = (why: string) => finish({ kind: wasSent ? 'lost' : 'notSent', why });

    /** Writes to an open connection, so the bytes leave at once and wait in no queue of ours. */
    function write(): void {
      if (isFinished) return;
      if (maySend(deadline)) {
        wasSent = true;
        request.end(body);
      } else {
        end('timed out');
      }
    }

    request.on('socket', (socket: Socket) => {
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', write);
      else write();
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (isClosed && request.reusedSocket && !hasAnswer) finish({ kind: 'stale' });
      else end('no answer');
    });
    request.on('response', (incoming) => {
      hasAnswer = true;
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maxReplyBytes) end('too long');
      });
      incoming.on('error', () => end('broken off'));
      incoming.on('close', () => end('broken off'));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode = 0, headers } = incoming;
        finish({ kind: 'answered', answer: { status: statusCode, headers, text } });
      });
    });
  });
}

function responseOf({ status, headers, text }: Answer): Stripe.HttpClientResponse {
  return {
    getStatusCode: () => status,
    // cast: the SDK reads single values from it, and types them so
    getHeaders: () => headers as Record<string, string>,
    getRawResponse: () => ({ headers }),
    toStream() {
      throw new Error('streams are not supported');
    },
    toJSON: async () => JSON.parse(text),
  };
}

/** The SDK's call never ends if the reply is a bare value, and its error ends the process. */
function checked(response: Stripe.HttpClientResponse): Stripe.HttpClientResponse {
  const status = response.getStatusCode();
  return {
    getStatusCode: () => status,
    getHeaders: () => response.getHeaders(),
    getRawResponse: () => response.getRawResponse(),
    toStream: (onEnd) => response.toStream(onEnd),
    async toJSON() {
      const body: unknown = await response.toJSON();
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      // The SDK treats every object without `error` as a success, with any status.
      const isAnswer = isObject && (status === 200 || (status >= 400 && 'error' in body));
      if (!isAnswer) throw new SyntaxError('the reply is not from Stripe');
      return body;
    },
  };
}
