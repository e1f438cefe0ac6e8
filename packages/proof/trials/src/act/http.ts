import type { Answer } from '../check/request-log.ts';
import type { Broken, Sender, Via } from '../plan/action.ts';
import type { Run, Service } from './run.ts';

interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The person whose token is used: `barber.0`, or `shop` for its owner. */
  readonly person: string;
  readonly body?: unknown;
}

/** Requests that only a transport can reject are omitted without one. */
export function isLeftOut(
  { fetch }: Service,
  { as, broken }: Via & { readonly as?: Sender },
): boolean {
  const isOfTransport = as === 'expired' || as === 'anonymous' || as === 'unsure';
  return fetch === undefined && (isOfTransport || broken !== undefined);
}

/** Sends an action over HTTP if it uses HTTP; else calls the use case. */
export function send(
  run: Run,
  { fetch }: Service,
  action: Via & { readonly as?: Sender; readonly key?: string },
  { method, path, person, body }: HttpRequest,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { as = 'self', via, broken, key } = action;
  if (fetch === undefined || via === undefined) return call();
  return overHttp(fetch);

  async function overHttp(serve: NonNullable<Service['fetch']>): Promise<Answer> {
    const token = tokenOf(as, person);
    const response = await serve(
      new Request(`http://shop.example${path}`, {
        method,
        headers: {
          'x-request-id': `req-${run.scheduler.nextMoment()}`,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body !== undefined && {
            'content-type': broken === 'type' ? 'text/plain' : 'application/json',
          }),
        },
        ...(body !== undefined && { body: bodyOf(body, broken) }),
      }),
    );
    return toHttpAnswer(response);
  }
}

function tokenOf(as: Sender, person: string): string | undefined {
  switch (as) {
    case 'anonymous':
      return undefined;
    case 'expired':
    case 'unsure':
      return as;
    case 'roleless':
      return `${person}.roleless`;
    default:
      return person;
  }
}

const tooLong = 20 * 1024;

function bodyOf(body: unknown, broken: Broken | undefined): string {
  const text = JSON.stringify(body);
  if (broken === 'json') return text.slice(0, -1);
  return broken === 'length' ? text.padEnd(tooLong) : text;
}

/** Members that every problem on the wire must have. */
interface WireProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly id: string;
  readonly occurredAt: string;
  readonly recovery?: { readonly outcome?: 'notApplied' | 'unknown'; readonly retry?: string };
}

async function toHttpAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  if (status < 400) return { status, text };
  const problem: WireProblem = JSON.parse(text);
  const { outcome, retry } = problem.recovery ?? {};
  const fault = faultOnTheWire(problem, status, headers);
  return {
    status,
    text,
    type: problem.type.replace(/^.*\/problems\//, ''),
    ...(outcome !== undefined && { outcome }),
    ...(retry !== undefined && { retry }),
    ...(fault !== undefined && { fault }),
  };
}

/** Why a problem on the wire is invalid. */
function faultOnTheWire(problem: WireProblem, status: number, headers: Headers) {
  const { type, id, occurredAt, recovery, title } = problem;
  if (headers.get('content-type')?.startsWith('application/problem+json') !== true) {
    return `not a problem: ${headers.get('content-type')}`;
  }
  if (problem.status !== status) return `status ${problem.status} was sent as ${status}`;
  if (!/^https?:\/\/.*\/problems\/[a-zA-Z]+$/.test(type)) return `invalid type: ${type}`;
  if (!id.startsWith('prb_') || title === '' || Number.isNaN(Date.parse(occurredAt)))
    return 'no problem';
  if (recovery?.outcome === undefined || recovery.retry === undefined) return 'no recovery';
  if (status === 401 && !headers.has('www-authenticate')) return 'no WWW-Authenticate';
  if (status === 429 && !headers.has('retry-after')) return 'no Retry-After';
  if (headers.get('cache-control') !== 'no-store') return 'it may be cached';
  return status === 500 ? 'the core threw' : undefined;
}
