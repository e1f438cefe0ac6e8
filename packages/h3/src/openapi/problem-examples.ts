import {
  badRequest,
  type Fault,
  fault,
  fieldFault,
  internalError,
  type ProblemType,
  problemTypes,
  retryLater,
  toProblem,
  unavailable,
} from '@chairside/core';

export const uriOf = (type: ProblemType, problemBase: string) => `${problemBase}/problems/${type}`;

/** The specifics of some example problems. The core builds the rest as it does for real ones. */
const exampleFaults: { readonly [T in ProblemType]?: Fault } = {
  badRequest: badRequest([fieldFault('/amount', '/amount must be an exact decimal.')]),
  unauthorized: fault('unauthorized', 'The access token is invalid or has expired.', {
    recovery: { outcome: 'notApplied', retry: 'retrySameRequest', sessionAction: 'refresh' },
  }),
  tooManyRequests: fault('tooManyRequests', 'At most 60 such calls in 60 s.', {
    recovery: {
      outcome: 'notApplied',
      retry: 'retrySameRequestAfterDelay',
      rateLimit: { limit: 60, remaining: 0, resetsAt: '2026-11-20T09:30:42.000Z' },
    },
  }),
  requestTimeout: fault('requestTimeout', 'The request did not arrive in time.', {
    recovery: retryLater,
  }),
  internalError: internalError(),
  serviceUnavailable: unavailable('The payment processor does not respond.', 'unknown'),
};

export function exampleProblem(type: ProblemType, problemBase: string) {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `prb_01jd3zk8q0e5v9h2m7x4r6t1b${ids}`;
  };
  const made = exampleFaults[type] ?? fault(type, `${problemTypes[type].title}.`);
  const problem = toProblem(made, {
    newId,
    at: Date.UTC(2026, 10, 20, 9, 30),
    instance: 'https://api.shop.example/terminals#req_1',
  });
  const { problems } = problem;
  const named = <P extends { readonly type: ProblemType }>(one: P) => ({
    ...one,
    type: uriOf(one.type, problemBase),
  });
  return { ...named(problem), ...(problems !== undefined && { problems: problems.map(named) }) };
}
