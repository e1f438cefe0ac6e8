import { type Problem, parseTimestamp, problemTypes, type ResultAsync } from '@chairside/core';
import type { BookEntry } from '@chairside/testkit';
import type { Answer, Exchange } from '../check/request-log.ts';
import type { Sender, Via } from '../plan/plan.ts';
import { hash } from '../plan/random.ts';
import { type Request as Asked, type Asking, type HttpRequest, requestOf } from './requests.ts';
import type { Run } from './run.ts';

/** How an action sends its request, whatever it asks. */
export interface Sent extends Via {
  readonly id: number;
  readonly as?: Sender;
  readonly key?: string;
  readonly taps?: number;
}

/** A client without the necessary data sends no request. */
const gaveUp: Answer = { status: 0, text: '' };

/**
 * Sends an action's request once, and what the client asks next. Undefined if the response was lost.
 * @param how with faults and limits, or after healing.
 */
export async function send(
  run: Run,
  action: Asking,
  { isLimited = true, isLast = false } = {},
): Promise<Answer | undefined> {
  const { scheduler, evidence } = run;
  const sent: Sent = action;
  const { id, as = 'self' } = sent;
  const request = requestOf(run, action);
  if (request === undefined) return gaveUp;
  const service = run.serve(id, isLimited);
  // Some requests can only be rejected by a transport.
  const isOfTransport = ['expired', 'anonymous', 'unsure'].includes(as) || sent.broken;
  if (service.fetch === undefined && isOfTransport) return gaveUp;
  const answer = await exchange(request);
  for (const one of request.next?.(answer) ?? []) await exchange(one);
  return answer;

  async function exchange({ auth, what, ...asked }: Asked): Promise<Answer | undefined> {
    const { subject } = auth;
    const [from, at] = [scheduler.nextMoment(), scheduler.clock.now()];
    const begun: Exchange = { action: id, as, subject, ...what, isLast, from, at };
    evidence.exchanges.push(begun);
    const answer = await service.answer(answerTo(asked));
    begun.to = scheduler.nextMoment();
    if (answer === undefined) return undefined;
    begun.answer = answer;
    if (answer.type === 'contactlessPaymentCanceled') {
      begun.entry = await chargeable(run, what.payment);
    }
    // Work that continues after the response must end as well.
    await begin(run, `after ${what.asked}`, () => service.answer(service.chairside.settled()));
    return answer;
  }

  async function answerTo(asked: Omit<Asked, 'auth' | 'what'>): Promise<Answer> {
    const { call, success = 200, http, learn } = asked;
    const isHttp = http !== undefined && sent.via !== undefined && service.fetch !== undefined;
    const answer = isHttp
      ? await readAnswer(await service.fetch(overHttp(run, sent, http)))
      : await toAnswer(call(service.chairside), success);
    if (answer.status === success) learn?.(answer.text);
    return answer;
  }
}

/** The session of a payment that a client can use. A second one, whose secret got lost, charges no card (D42). */
async function chargeable(
  { world, opened }: Run,
  payment: string | undefined,
): Promise<BookEntry | undefined> {
  const known = new Set([...opened.values()].map(({ clientSecret }) => clientSecret));
  const all = await world().processor.entries();
  const entries = all.filter((entry) => entry.paymentId === payment);
  return entries.find(({ clientSecret }) => known.has(clientSecret)) ?? entries[0];
}

const firstDelayMs = 1500;

/** Sends a request as an impatient thumb does, and repeats it while it is lost or told to, up to a limit. */
export async function insist(run: Run, action: Asking): Promise<void> {
  const { id, taps = 1 }: Sent = action;
  const tries = 1 + (hash(run.plan.seed, id) % 3);
  const tap = async () => {
    for (let n = 0; n < tries; n += 1) {
      const answer = await send(run, action);
      if (answer !== undefined && answer.retry !== 'retrySameRequestAfterDelay') return;
      await run.scheduler.after(firstDelayMs * 2 ** n, () => undefined);
    }
  };
  await Promise.all(Array.from({ length: taps }, tap));
}

/** Begins a task that must come to an end. */
export async function begin(run: Run, name: string, task: () => Promise<unknown>): Promise<void> {
  const label = `${run.scheduler.nextMoment()} ${name}`;
  run.begun.add(label);
  await task();
  run.begun.delete(label);
}

/** The client's view of an operation's result. */
function toAnswer(result: ResultAsync<unknown, Problem>, success: number): Promise<Answer> {
  return result.match<Answer, Answer>(
    (value) => ({ status: success, text: JSON.stringify(value) ?? '' }),
    (problem) => answerOf(problem, JSON.stringify(problem)),
  );
}

function answerOf(problem: Problem, text: string): Answer {
  const { status, type, recovery } = problem;
  const { outcome, retry } = recovery;
  const fault = faultOfProblem(problem);
  return { status, text, type, outcome, retry, ...(fault !== undefined && { fault }) };
}

const tooLong = 20 * 1024;

function overHttp(
  { scheduler }: Run,
  { as = 'self', broken, key }: Sent,
  { method, path, person, body }: HttpRequest,
): Request {
  const token = tokenOf(as, person);
  const text = JSON.stringify(body);
  const bodies = { json: text?.slice(0, -1), length: text?.padEnd(tooLong), type: text };
  const sent = broken === undefined ? text : bodies[broken];
  return new Request(`http://shop.example${path}`, {
    method,
    headers: {
      'x-request-id': `req-${scheduler.nextMoment()}`,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && {
        'content-type': broken === 'type' ? 'text/plain' : 'application/json',
      }),
    },
    ...(sent !== undefined && { body: sent }),
  });
}

function tokenOf(as: Sender, person: string): string | undefined {
  if (as === 'anonymous') return undefined;
  if (as === 'expired' || as === 'unsure') return as;
  return as === 'roleless' ? `${person}.roleless` : person;
}

/** A type is a URI on the wire. */
async function readAnswer(response: Response): Promise<Answer> {
  const { status } = response;
  const text = await response.text();
  if (status < 400) return { status, text };
  const problem: Problem = JSON.parse(text);
  return answerOf(
    { ...problem, type: JSON.parse(`"${problem.type.replace(/^.*\/problems\//, '')}"`) },
    text,
  );
}

const recoveryMembers = new Set(['outcome', 'retry', 'sessionAction', 'rateLimit']);

/**
 * Why a problem is invalid; `undefined` for a valid one. It is called for every response, so it is
 * cheap.
 */
export function faultOfProblem(problem: Problem): string | undefined {
  const { type, title, status, id, occurredAt, recovery, detail } = problem;
  if (!Object.hasOwn(problemTypes, type)) return `unknown type: ${type}`;
  const known = problemTypes[type];
  if (known.status !== status || known.title !== title)
    return `wrong status for ${type}: ${status}`;
  if (type === 'internalError') return 'the core threw';
  if (!/^prb_[0-9a-z]+$/.test(id)) return `not the id of a problem: ${id}`;
  if (parseTimestamp(occurredAt) === undefined) return `not a time: ${occurredAt}`;
  if (detail !== undefined && detail.length > 256) return 'its detail is too long';
  if (recovery.outcome !== 'notApplied' && recovery.outcome !== 'unknown') return 'no outcome';
  if (recovery.outcome === 'unknown' && recovery.retry === 'doNotRetry' && !isTurnedAway(problem)) {
    return 'unknown, but not to be retried';
  }
  const foreign = Object.keys(recovery).find((member) => !recoveryMembers.has(member));
  return foreign && `unknown member of recovery: ${foreign}`;
}

/** Rejected before the key was looked up, so `unknown` refers to earlier requests under the key. */
function isTurnedAway({ status }: Problem): boolean {
  return [400, 401, 403, 404, 413, 415].includes(status);
}
