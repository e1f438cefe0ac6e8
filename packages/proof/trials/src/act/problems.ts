import { type Problem, parseTimestamp, problemTypes } from '@chairside/core';

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
