import * as v from 'valibot';
import { clip, type JsonObject, toStorable } from '../values/text.ts';
import { type EpochMs, formatTimestamp, secondMs } from '../values/time.ts';
import { resourceIdSchema, text, timestampSchema, wireObject } from '../values/wire.ts';
import { findReason, type ProblemType, problemTypes, type ReasonOf } from './reasons.ts';

export { type ProblemType, problemTypes } from './reasons.ts';

/** The caller's quota when a request was rejected by the rate limit. */
export interface RateLimitRecovery {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: string;
}

/** The client's possible conclusions and actions, about the rejected request alone. */
export interface Recovery {
  readonly outcome: 'notApplied' | 'unknown';
  readonly retry: 'doNotRetry' | 'retrySameRequest' | 'retrySameRequestAfterDelay';
  readonly sessionAction?: 'refresh' | 'signIn';
  readonly rateLimit?: RateLimitRecovery;
}

/** Further members of a problem. `reason` is one of the type's reasons (`reasons.ts`). */
export type Attributes<T extends ProblemType = ProblemType> = JsonObject & {
  readonly reason?: ReasonOf<T>;
};

/** A problem before it has an id, a time and a request. */
export interface Fault<T extends ProblemType = ProblemType> {
  readonly type: T;
  readonly detail?: string;
  readonly attributes?: Attributes<T>;
  readonly recovery: Recovery;
  readonly problems?: readonly Fault[];
}

/** A nested problem: a root cause of another one. */
export interface NestedProblem {
  readonly type: ProblemType;
  readonly title: string;
  readonly status: number;
  readonly occurredAt: string;
  readonly id: string;
  readonly detail?: string;
  readonly instance?: string;
  readonly attributes?: JsonObject;
}

/**
 * An error as a value: the interface's Problem, with the bare name as its `type`. A transport
 * writes it out with the type's URI.
 */
export interface Problem<T extends ProblemType = ProblemType> extends NestedProblem {
  readonly type: T;
  readonly attributes?: Attributes<T>;
  readonly recovery: Recovery;
  readonly problems?: readonly NestedProblem[];
}

/** `Problem<'a'> | Problem<'b'>` for `'a' | 'b'`, so that a `switch` on `type` narrows. */
export type ProblemOf<T extends ProblemType> = T extends ProblemType ? Problem<T> : never;

/** {@link ProblemOf}, for faults. */
export type FaultOf<T extends ProblemType> = T extends ProblemType ? Fault<T> : never;

/** The request was not applied, and will be rejected again. */
export const doNotRetry: Recovery = { outcome: 'notApplied', retry: 'doNotRetry' };
/** The request was not applied, and may succeed later. */
export const retryLater: Recovery = {
  outcome: 'notApplied',
  retry: 'retrySameRequestAfterDelay',
};
/** The request may have been applied: only the same request again can tell. */
export const unknownRetryLater: Recovery = {
  outcome: 'unknown',
  retry: 'retrySameRequestAfterDelay',
};

const maxDetailLength = 256;
const maxNested = 128;

/**
 * Makes a fault of this type. Its recovery is the one of its reason (`reasons.ts`). By default it
 * was not applied and must not be retried.
 */
export function fault<T extends ProblemType>(
  type: T,
  detail: string,
  more: Omit<Partial<Fault<T>>, 'type' | 'detail'> = {},
): Fault<T> {
  return {
    type,
    detail: clip(toStorable(detail), maxDetailLength),
    ...more,
    recovery: more.recovery ?? recoveryOf(type, more.attributes),
  };
}

function recoveryOf(type: ProblemType, { reason, ...more }: Attributes = {}): Recovery {
  switch (findReason(type, reason)?.recovery) {
    case 'later':
      return retryLater;
    case 'unknown':
      return unknownRetryLater;
    case 'finalOnceReleased':
      return more['isReleased'] === false ? unknownRetryLater : doNotRetry;
    default:
      return doNotRetry;
  }
}

/**
 * One of several faults in a request. Its place is a JSON Pointer, or `header/…`, `query/…`.
 */
export function fieldFault(pointer: string, detail: string): Fault<'badRequest'> {
  // The sender may have invented the name in the pointer.
  const clipped = clip(toStorable(pointer), maxDetailLength);
  return fault('badRequest', detail, { attributes: { pointer: clipped } });
}

/** A 400 with one nested problem per fault. */
export function badRequest(faults: readonly Fault<'badRequest'>[]): Fault<'badRequest'> {
  const first = faults[0]?.detail ?? 'The request is not well-formed.';
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return fault('badRequest', `${first}${more}`, { problems: faults.slice(0, maxNested) });
}

/**
 * The service is unavailable. `outcome` says whether the request may have been applied anyway.
 */
export function unavailable(
  detail: string,
  outcome: Recovery['outcome'],
): Fault<'serviceUnavailable'> {
  return fault('serviceUnavailable', detail, {
    recovery: outcome === 'unknown' ? unknownRetryLater : retryLater,
  });
}

/** Something threw, so it is unknown how far the request came. */
export function internalError(): Fault<'internalError'> {
  return fault('internalError', 'Chairside failed; the request may have been applied.', {
    recovery: unknownRetryLater,
  });
}

/** The identity, time and request that make a fault a problem. */
export interface Occurrence {
  /** Called for the problem and for each nested one. */
  readonly newId: () => string;
  readonly at: EpochMs;
  readonly instance?: string;
}

/** Makes a fault the problem of one call. */
export function toProblem<T extends ProblemType>(
  fault: Fault<T>,
  occurrence: Occurrence,
): Problem<T> {
  const { type, detail, attributes, recovery, problems } = fault;
  return {
    type,
    title: problemTypes[type].title,
    status: problemTypes[type].status,
    occurredAt: formatTimestamp(occurrence.at),
    id: occurrence.newId(),
    ...(detail !== undefined && { detail }),
    ...(occurrence.instance !== undefined && { instance: occurrence.instance }),
    ...(attributes !== undefined && { attributes }),
    recovery,
    ...(problems !== undefined && { problems: problems.map((p) => toNested(p, occurrence)) }),
  };
}

function toNested(fault: Fault, occurrence: Occurrence): NestedProblem {
  const { recovery: _recovery, problems: _problems, ...nested } = toProblem(fault, occurrence);
  return nested;
}

/**
 * Seconds to wait before the retry, for problems that allow one after a delay; otherwise
 * `undefined`. Agrees with the problem's rate limit.
 */
export function retryAfterSeconds(problem: Problem): number | undefined {
  const { retry, rateLimit } = problem.recovery;
  if (retry !== 'retrySameRequestAfterDelay') return undefined;
  if (rateLimit === undefined) return secondsByReason.get(problem.attributes?.['reason']) ?? 1;
  const waitMs = Date.parse(rateLimit.resetsAt) - Date.parse(problem.occurredAt);
  // A host's limiter may return no time.
  return Math.max(1, Math.ceil(waitMs / secondMs) || 1);
}

/** By reason: how long another call works on the same request, and how often to ask until something open expires. */
const secondsByReason: ReadonlyMap<unknown, number> = new Map([
  ['running', 2],
  ['tooManyOpenPayments', 60],
  ['tooManyOpenSetups', 60],
]);

// Two faults that many rules use.

/** A 409 with its reason. */
export function conflict(
  reason: ReasonOf<'conflict'>,
  detail: string,
  more: JsonObject = {},
): Fault<'conflict'> {
  return fault('conflict', detail, { attributes: { reason, ...more } });
}

/** A 422 for one part of the request. */
export function unfit(pointer: string, detail: string): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', detail, { attributes: { pointer } });
}

const uint64Schema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.metadata({ format: 'uint64' }),
);

const rateLimit = wireObject('A quota of requests.', {
  limit: [uint64Schema, 'The number of requests in a window.', 60],
  remaining: [uint64Schema, 'The number of requests left.', 0],
  resetsAt: [timestampSchema, 'The time at which the window ends.', '2026-11-20T09:30:42.000Z'],
});

const recovery = wireObject('The outcome of the request, and whether to send it again.', {
  outcome: [
    v.picklist(['notApplied', 'unknown']),
    '`notApplied`: the request had no effect. `unknown`: it may have had one.',
    'notApplied',
  ],
  retry: [
    v.picklist(['doNotRetry', 'retrySameRequest', 'retrySameRequestAfterDelay']),
    'Whether to send the same request again, with the same key.',
    'retrySameRequestAfterDelay',
  ],
  sessionAction: [
    v.exactOptional(v.picklist(['refresh', 'signIn'])),
    'The step that must come before the retry.',
    'refresh',
  ],
  rateLimit: [v.exactOptional(rateLimit.schema), 'The quota, for a 429.', rateLimit.example],
});

const members = {
  type: [
    v.pipe(v.string(), v.metadata({ format: 'uri' })),
    'The URI of the problem type. It is an identifier; no page is behind it.',
    'https://chairside.example/problems/badRequest',
  ],
  title: [
    text(1, 120),
    'A short text for people. It is the same for every problem of the type.',
    'The request is not well-formed',
  ],
  occurredAt: [timestampSchema, 'The time of the problem.', '2026-11-20T09:30:00.000Z'],
  detail: [
    v.exactOptional(text(0, 256)),
    'An explanation for people. Never parse it.',
    '/amount must be an exact decimal.',
  ],
  id: [
    resourceIdSchema,
    'The id of this problem, for support and logs.',
    'prb_01jd3zk8q0e5v9h2m7x4r6t1b1',
  ],
  status: [
    v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599)),
    'The HTTP status code.',
    400,
  ],
  instance: [
    v.exactOptional(v.pipe(text(0, 2048), v.metadata({ format: 'uri' }))),
    'The URI of the request, with the request id as fragment.',
    'https://api.shop.example/terminals#req_1',
  ],
  attributes: [
    v.exactOptional(v.record(v.string(), v.unknown())),
    'More members for programs, by problem type: `reason`, `pointer`, `isReleased` and others.',
    { pointer: '/amount' },
  ],
} as const;

const nested = wireObject('A root cause of a problem.', members);
const nestedList = <S extends v.GenericSchema>(one: S) =>
  v.exactOptional(v.pipe(v.array(one), v.maxLength(128)));
const { sessionAction: _, ...recoveryExample } = recovery.example;

/** The Problem on the wire, where `type` is a URI (spec "Problem"). Clients must tolerate members that they do not know. */
const problem = wireObject(
  'An error. Decide by `type`, `attributes.reason` and `recovery`. Ignore unknown members.',
  {
    ...members,
    recovery: [v.exactOptional(recovery.schema), recovery.about, recoveryExample],
    problems: [
      nestedList(nested.schema),
      'The root causes: for a 400 one for each fault.',
      [nested.example],
    ],
  },
);
export const problemShapes = {
  Problem: problem,
  NestedProblem: nested,
  Recovery: recovery,
  RateLimit: rateLimit,
};

/** Exactly what Chairside writes, for tests. */
export const problemSchema = v.strictObject({
  ...problem.schema.entries,
  problems: nestedList(v.strictObject(nested.schema.entries)),
});
