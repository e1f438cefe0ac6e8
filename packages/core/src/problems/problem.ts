import * as v from 'valibot';
import { clip, type JsonObject, toStorable } from '../values/text.ts';
import { type EpochMs, formatTimestamp, parseTimestamp, secondMs } from '../values/time.ts';
import { resourceIdSchema, text, timestampSchema } from '../values/wire.ts';
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
  if (problem.recovery.retry !== 'retrySameRequestAfterDelay') return undefined;
  const resetsAt = parseTimestamp(problem.recovery.rateLimit?.resetsAt ?? '');
  const occurredAt = parseTimestamp(problem.occurredAt);
  if (resetsAt === undefined || occurredAt === undefined) {
    return retryAfterReason[String(problem.attributes?.['reason'])] ?? 1;
  }
  return Math.max(1, Math.ceil((resetsAt - occurredAt) / secondMs));
}

/** Another call is working on the same request, or what is open has to expire. */
const retryAfterReason: Readonly<Record<string, number>> = {
  running: 2,
  tooManyOpenPayments: 60,
  tooManyOpenSetups: 60,
};

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

export const recoverySchema = v.object({
  outcome: v.picklist(['notApplied', 'unknown']),
  retry: v.picklist(['doNotRetry', 'retrySameRequest', 'retrySameRequestAfterDelay']),
  sessionAction: v.exactOptional(v.picklist(['refresh', 'signIn'])),
  rateLimit: v.exactOptional(
    v.object({ limit: uint64Schema, remaining: uint64Schema, resetsAt: timestampSchema }),
  ),
});

const nested = {
  type: v.pipe(v.string(), v.metadata({ format: 'uri' })),
  title: text(1, 120),
  occurredAt: timestampSchema,
  detail: v.exactOptional(text(0, 256)),
  id: resourceIdSchema,
  status: v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599)),
  instance: v.exactOptional(v.pipe(text(0, 2048), v.metadata({ format: 'uri' }))),
  attributes: v.exactOptional(v.record(v.string(), v.unknown())),
};

export const nestedProblemSchema = v.strictObject(nested);

/** The Problem on the wire, where `type` is a URI (spec "Problem"). */
export const problemSchema = v.strictObject({
  ...nested,
  recovery: v.exactOptional(recoverySchema),
  problems: v.exactOptional(v.pipe(v.array(nestedProblemSchema), v.maxLength(128))),
});
