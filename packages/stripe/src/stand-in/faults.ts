import type { Route } from './params.ts';

/** What can befall a request. */
export const stripeFaults = [
  /** Not applied; the connection is reset, or refused where there is no connection to reset. */
  'resetBeforeApplying',
  'resetAfterApplying',
  /** No answer ever comes. */
  'timeoutBeforeApplying',
  'timeoutAfterApplying',
  /** In-process alone: nothing listens. Over HTTP it is a reset before applying. */
  'refused',
  'rateLimited',
  /** A 500 that is kept under the key and replayed. Not applied. */
  'failure',
  /** As `failure`, and yet applied. */
  'failureAfterApplying',
  /** A refusal that is kept under the key and replayed. Not applied. */
  'rejected',
  /** Not applied: the platform has no access to the account just now. */
  'noAccess',
  /** Not applied: a restricted key lacks the permission. Such a refusal has no code. */
  'forbidden',
  /** The key is in use by a request that is still being carried out. */
  'keyInUse',
  /** Applied; the answer is no JSON. */
  'malformedBody',
  /** Applied; the answer is JSON, but no object. */
  'bareBody',
  /** Applied; the answer is some megabytes too long. */
  'oversizedBody',
  /** Applied; the answer is right, but comes with a status that points elsewhere. */
  'redirect',
  /** Not applied; a proxy's 503, which is no answer of Stripe's. */
  'proxyFailure',
] as const;
export type StripeFaultKind = (typeof stripeFaults)[number];

/** A kind, or what is to be made of the answer of a request that is applied. */
export type StripeFault =
  | StripeFaultKind
  | ((body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>);

/** Faults in waiting, in order, for the calls they were scripted for. */
export interface Script {
  failNext(route: Route, fault: StripeFault, times?: number): void;
  take(route: Route): StripeFault | undefined;
}

export function createScript(): Script {
  const waiting = new Map<Route, StripeFault[]>();
  return {
    failNext(route, fault, times = 1) {
      const queue = waiting.get(route) ?? [];
      waiting.set(route, queue);
      for (let i = 0; i < times; i += 1) queue.push(fault);
    },
    take: (route) => waiting.get(route)?.shift(),
  };
}
