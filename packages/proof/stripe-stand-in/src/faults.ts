import type { Route } from './calls.ts';

/** The faults of a request. */
export const stripeFaults = [
  /** Not applied; the connection is reset, or refused if there is none. */
  'resetBeforeApplying',
  'resetAfterApplying',
  /** A reply never arrives. */
  'timeoutBeforeApplying',
  'timeoutAfterApplying',
  /** In-process only: the server does not listen. Over HTTP it is a reset before applying. */
  'refused',
  'rateLimited',
  /**
   * A 500 that is stored under the key and replayed, and says that a retry has no effect. Not applied. For
   * a read it is a 500 without that header.
   */
  'failure',
  /** Like `failure`, but the first reply lacks that header. */
  'failureUntold',
  /** Like `failure`, but applied. */
  'failureAfterApplying',
  /** A rejection that is stored under the key and replayed. Not applied. */
  'rejected',
  /** Like `rejected`, because the account lacks a capability at the moment. */
  'notCapable',
  /** Not applied: the platform has no access to the account at the moment. */
  'noAccess',
  /** Not applied: a restricted key lacks the permission. */
  'forbidden',
  /** Another request with this key is still running. */
  'keyInUse',
  /** Not applied: a 503 of Stripe itself, before it looks the key up. It is not stored. */
  'overloaded',
  /** No reply arrives, and the request runs until the test ends it with `finish`. Its key is in use until then. */
  'unfinished',
  /** Applied; the reply is not JSON. */
  'malformedBody',
  /** Applied; the reply is JSON, but not an object. */
  'bareBody',
  /** Applied; the reply is several megabytes too long. */
  'oversizedBody',
  /** Applied; the reply is right, but has a redirect status. */
  'redirect',
  /** Not applied; a proxy's 503 instead of a reply of Stripe. */
  'proxyFailure',
] as const;
export type StripeFaultKind = (typeof stripeFaults)[number];

/** A fault, or a change of the reply to an applied request. */
export type StripeFault =
  | StripeFaultKind
  | ((body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>);

export type Script = ReturnType<typeof createScript>;

/** Queued faults, in order, for the calls that they were scripted for. */
export function createScript() {
  const waiting = new Map<Route, StripeFault[]>();
  return {
    failNext(route: Route, fault: StripeFault, times = 1): void {
      const queue = waiting.get(route) ?? [];
      waiting.set(route, queue);
      for (let i = 0; i < times; i += 1) queue.push(fault);
    },
    take: (route: Route) => waiting.get(route)?.shift(),
  };
}
