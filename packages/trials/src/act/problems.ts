import { type Problem, parseTimestamp, problemTypes } from '@chairside/core';

const recoveryMembers = new Set(['outcome', 'retry', 'sessionAction', 'rateLimit']);

/** Why this is no valid problem; `undefined` for a valid one. Called for every answer: cheap. */
export function faultOfProblem(problem: Problem): string | undefined {
  const { type, title, status, id, occurredAt, recovery, detail } = problem;
  if (!Object.hasOwn(problemTypes, type)) return `no such type: ${type}`;
  const known = problemTypes[type];
  if (known.status !== status || known.title !== title) return `not as ${type} is: ${status}`;
  if (type === 'internalError') return 'the core threw';
  if (!/^prb_[0-9a-z]+$/.test(id)) return `no id of a problem: ${id}`;
  if (parseTimestamp(occurredAt) === undefined) return `no time: ${occurredAt}`;
  if (detail !== undefined && detail.length > 256) return 'its detail is too long';
  if (recovery.outcome !== 'notApplied' && recovery.outcome !== 'unknown') return 'no outcome';
  if (recovery.outcome === 'unknown' && recovery.retry === 'doNotRetry' && !isTurnedAway(problem)) {
    return 'unknown, and yet not to be retried';
  }
  const foreign = Object.keys(recovery).find((member) => !recoveryMembers.has(member));
  return foreign && `no member of recovery: ${foreign}`;
}

/** Turned away at the door: what is unknown is what another sender asked under the key. */
function isTurnedAway({ status }: Problem): boolean {
  return [400, 401, 403, 404].includes(status);
}
