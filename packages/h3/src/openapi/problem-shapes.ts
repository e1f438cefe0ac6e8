import { nestedProblemSchema, problemSchema, recoverySchema, shape } from '@chairside/core';
import * as v from 'valibot';

// Clients must tolerate members of a problem that they do not know.
const looseNestedProblemSchema = v.object(nestedProblemSchema.entries);
const looseProblemSchema = v.object({
  ...problemSchema.entries,
  problems: v.exactOptional(v.pipe(v.array(looseNestedProblemSchema), v.maxLength(128))),
});

export const recoveryText = 'The outcome of the request, and whether to send it again.';

export const problemTexts = {
  type: 'The URI of the problem type. It is an identifier; no page is behind it.',
  title: 'A short text for people. It is the same for every problem of the type.',
  occurredAt: 'The time of the problem.',
  detail: 'An explanation for people. Never parse it.',
  id: 'The id of this problem, for support and logs.',
  status: 'The HTTP status code.',
  instance: 'The URI of the request, with the request id as fragment.',
  attributes:
    'More members for programs, by problem type: `reason`, `pointer`, `isReleased` and others.',
} as const;

const rateLimit = {
  limit: 60,
  remaining: 0,
  resetsAt: '2026-11-20T09:30:42.000Z',
};

const nestedProblem = {
  type: 'https://chairside.example/problems/badRequest',
  title: 'The request is not well-formed',
  occurredAt: '2026-11-20T09:30:00.000Z',
  detail: '/amount must be an exact decimal.',
  id: 'prb_01jd3zk8q0e5v9h2m7x4r6t1b1',
  status: 400,
  instance: 'https://api.shop.example/terminals#req_1',
  attributes: { pointer: '/amount' },
};

const recovery = { outcome: 'notApplied', retry: 'retrySameRequestAfterDelay', rateLimit } as const;

export const problemShapes = {
  Problem: shape(
    looseProblemSchema,
    {
      about:
        'An error. Decide by `type`, `attributes.reason` and `recovery`. Ignore unknown members.',
      properties: {
        ...problemTexts,
        recovery: recoveryText,
        problems: 'The root causes: for a 400 one for each fault.',
      },
    },
    { ...nestedProblem, recovery, problems: [nestedProblem] },
  ),
  NestedProblem: shape(
    looseNestedProblemSchema,
    { about: 'A root cause of a problem.', properties: problemTexts },
    nestedProblem,
  ),
  Recovery: shape(
    recoverySchema,
    {
      about: recoveryText,
      properties: {
        outcome: '`notApplied`: the request had no effect. `unknown`: it may have had one.',
        retry: 'Whether to send the same request again, with the same key.',
        sessionAction: 'The step that must come before the retry.',
        rateLimit: 'The quota, for a 429.',
      },
    },
    { ...recovery, sessionAction: 'refresh' },
  ),
  RateLimit: shape(
    recoverySchema.entries.rateLimit.wrapped,
    {
      about: 'A quota of requests.',
      properties: {
        limit: 'The number of requests in a window.',
        remaining: 'The number of requests left.',
        resetsAt: 'The time at which the window ends.',
      },
    },
    rateLimit,
  ),
};
