import {
  nestedProblemSchema,
  objectShape,
  problemSchema,
  recoverySchema,
  type ShapeMembers,
  type Shapes,
} from '@chairside/core/ports';
import * as v from 'valibot';

// Clients must tolerate members of a problem that they do not know.
const looseNestedProblemSchema = v.object(nestedProblemSchema.entries);
const looseProblemSchema = v.object({
  ...problemSchema.entries,
  problems: v.exactOptional(v.pipe(v.array(looseNestedProblemSchema), v.maxLength(128))),
});

const rateLimitShape = objectShape(
  recoverySchema.entries.rateLimit.wrapped,
  'A quota of requests.',
  {
    limit: ['The number of requests in a window.', 60],
    remaining: ['The number of requests left.', 0],
    resetsAt: ['The time at which the window ends.', '2026-11-20T09:30:42.000Z'],
  },
);

export const recoveryText = 'The outcome of the request, and whether to send it again.';
const recoveryShape = objectShape(recoverySchema, recoveryText, {
  outcome: [
    '`notApplied`: the request had no effect. `unknown`: it may have had one.',
    'notApplied',
  ],
  retry: [
    'Whether to send the same request again, with the same key.',
    'retrySameRequestAfterDelay',
  ],
  rateLimit: ['The quota, for a 429.', rateLimitShape.example],
  sessionAction: ['The step that must come before the retry.', 'refresh'],
});
const { sessionAction: _, ...recovery } = recoveryShape.example;

export const problemMembers: ShapeMembers<typeof looseNestedProblemSchema> = {
  type: [
    'The URI of the problem type. It is an identifier; no page is behind it.',
    'https://chairside.example/problems/badRequest',
  ],
  title: [
    'A short text for people. It is the same for every problem of the type.',
    'The request is not well-formed',
  ],
  occurredAt: ['The time of the problem.', '2026-11-20T09:30:00.000Z'],
  detail: ['An explanation for people. Never parse it.', '/amount must be an exact decimal.'],
  id: ['The id of this problem, for support and logs.', 'prb_01jd3zk8q0e5v9h2m7x4r6t1b1'],
  status: ['The HTTP status code.', 400],
  instance: [
    'The URI of the request, with the request id as fragment.',
    'https://api.shop.example/terminals#req_1',
  ],
  attributes: [
    'More members for programs, by problem type: `reason`, `pointer`, `isReleased` and others.',
    { pointer: '/amount' },
  ],
};

const nestedProblemShape = objectShape(
  looseNestedProblemSchema,
  'A root cause of a problem.',
  problemMembers,
);

export const problemShapes: Shapes = {
  Problem: objectShape(
    looseProblemSchema,
    'An error. Decide by `type`, `attributes.reason` and `recovery`. Ignore unknown members.',
    {
      ...problemMembers,
      recovery: [recoveryText, recovery],
      problems: ['The root causes: for a 400 one for each fault.', [nestedProblemShape.example]],
    },
  ),
  NestedProblem: nestedProblemShape,
  Recovery: recoveryShape,
  RateLimit: rateLimitShape,
};
