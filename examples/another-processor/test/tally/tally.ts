import { type Clock, hourMs } from '@chairside/core';
import type { Fetch } from '../../src/connection.ts';
import { type Books, createBooks } from './books.ts';
import { type Answered, type Asked, type Route, type RouteName, routes } from './routes.ts';

/** Faults of one request. A failure is Tally's own, and is its answer to the request id from then on. */
type TallyFault =
  | 'lostReply'
  /** No connection. */
  | 'refused'
  /** Applied; no reply is ever sent. */
  | 'silent'
  | 'failure'
  | 'failureAfterApplying'
  /** Applied; the reply has another shape. */
  | 'garbled'
  | 'rejected'
  | 'rateLimited'
  | 'notSetUp';

/** Applied; the members of the reply and of what it holds are changed. */
type Alter = (this: unknown, member: string, of: unknown) => unknown;

export const apiKey = ['tally', 'test'].join('_');
export const webhookSecret = ['hook', 'test'].join('_');
const keptMs = 24 * hourMs;

export interface Tally extends Books {
  readonly fetch: Fetch;
  /** Gives the next request of this route the fault. */
  failNext(route: RouteName, fault: TallyFault | Alter): void;
}

interface Kept {
  readonly at: number;
  readonly request: string;
  readonly answered: Answered;
}

/** The API of Tally in this process: its records, its request ids and its faults. */
export function createTally(clock: Clock): Tally {
  const books = createBooks(clock, webhookSecret);
  const faults = new Map<RouteName, (TallyFault | Alter)[]>();
  const kept = new Map<string, Kept>();

  /** Applies a request, or repeats what its id was answered. */
  function answer(
    route: Route,
    asked: Asked,
    request: string,
    requestId?: string,
  ): Answered | undefined {
    const known = requestId === undefined ? undefined : kept.get(requestId);
    if (known !== undefined && clock.now() - known.at < keptMs) {
      return known.request === request ? known.answered : problem(409, 'request_id_reused');
    }
    const fault = faults.get(route.name)?.shift();
    if (fault === 'refused') throw noConnection();
    if (fault === 'rateLimited') return problem(429, 'slow_down');
    if (fault === 'notSetUp') return problem(403, 'merchant_closed');
    const isAltered = typeof fault === 'function';
    const answered = answerWith(isAltered ? undefined : fault, () => route.answer(books, asked));
    if (isAltered) {
      return { ...answered, body: JSON.parse(JSON.stringify(answered.body), fault) };
    }
    if (requestId !== undefined) kept.set(requestId, { at: clock.now(), request, answered });
    if (fault === 'silent') return undefined;
    if (fault === 'lostReply') throw new TypeError('fetch failed');
    return fault === 'garbled' ? { status: 200, body: { result: 'done' } } : answered;
  }

  async function serve(
    url: URL,
    { method, body, headers, signal }: RequestInit,
  ): Promise<Response> {
    const given = new Headers(headers);
    if (given.get('authorization') !== `Bearer ${apiKey}`) return respond(problem(401, 'no_key'));
    const [route, path] = routeOf(`${method}`, url.pathname);
    if (route === undefined) return respond(problem(404, 'not_found'));
    const merchant = url.pathname.startsWith('/merchants/') ? path[0] : undefined;
    if (merchant !== undefined && books.merchants.get(merchant)?.isClosed !== false) {
      return respond(problem(403, 'merchant_closed'));
    }
    const text = typeof body === 'string' ? body : undefined;
    const asked = {
      path,
      query: url.searchParams,
      body: text === undefined ? undefined : JSON.parse(text),
    };
    const requestId = given.get('request-id') ?? undefined;
    const answered = answer(route, asked, `${method} ${url.pathname} ${text}`, requestId);
    return answered === undefined ? never(signal) : respond(answered);
  }

  const respond = ({ status, body }: Answered) => {
    const date = new Date(clock.now()).toUTCString();
    return Response.json(body, { status, headers: { date } });
  };

  return {
    ...books,
    // Two requests that are sent together arrive in either order, one after the other.
    fetch: async (url, init) => {
      await new Promise((arrived) => setImmediate(arrived));
      return serve(new URL(url), init);
    },
    failNext(route, fault) {
      faults.set(route, [...(faults.get(route) ?? []), fault]);
    },
  };
}

/** Rejects when the request is given up. */
function never(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}

function noConnection(): TypeError {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  return new TypeError('fetch failed', { cause });
}

const problem = (status: number, code: string): Answered => ({ status, body: { code } });

function answerWith(fault: TallyFault | undefined, apply: () => Answered): Answered {
  if (fault === 'failure') return problem(500, 'internal');
  if (fault === 'rejected') return problem(409, 'scripted');
  const answered = apply();
  return fault === 'failureAfterApplying' ? problem(500, 'internal') : answered;
}

function routeOf(method: string, pathname: string): [Route | undefined, readonly string[]] {
  for (const route of routes) {
    const [, ...path] = (route.method === method && route.path.exec(pathname)) || [undefined];
    if (path.length > 0 || (route.method === method && route.path.test(pathname))) {
      return [route, path.map((part) => decodeURIComponent(part ?? ''))];
    }
  }
  return [undefined, []];
}
