import type { Problem, ProblemOf, ProblemType, Recovery } from '@chairside/core';
import { isObject, number, object, type Parser, text } from './parse.ts';

/**
 * No readable response arrived, so the outcome is unknown. Repeat the request with the same key to
 * learn it.
 */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly title: string;
  readonly recovery: Recovery;
  /**
   * `network`: no response. `unreadable`: a response of another interface. `timeLimit`: the call's
   * time is over. `aborted`: the signal ended the waiting. `accessToken`: the app returned no
   * token. `input`: the request could not be built, so it was not sent.
   */
  readonly why: 'network' | 'unreadable' | 'timeLimit' | 'aborted' | 'accessToken' | 'input';
}

/** A problem of a type that this operation does not document, from a newer server or a proxy. */
export interface UnexpectedProblem {
  readonly type: 'unexpected';
  readonly title: string;
  readonly recovery: Recovery;
  /** The name after `/problems/` in the response. */
  readonly name: string;
  readonly problem: WireProblem;
}

export type ClientProblem = Unanswered | UnexpectedProblem;

/** A problem as received. Its `type` is the bare name. */
export type WireProblem = Omit<Problem, 'type'> & { readonly type: string };

/** Any error of any operation. */
export type AnyProblem = Problem | ClientProblem;

/** @param seen what a person should know of it. */
export function unanswered(why: Unanswered['why'], seen = ''): Unanswered {
  const recovery: Recovery =
    why === 'input'
      ? { outcome: 'notApplied', retry: 'doNotRetry' }
      : { outcome: 'unknown', retry: later };
  return { type: 'unanswered', title: `No response: ${why}${seen}`, why, recovery };
}

const later = 'retrySameRequestAfterDelay';

const recoverySchema = object(
  {},
  {
    outcome: text,
    retry: text,
    sessionAction: text,
    rateLimit: object({ limit: number, remaining: number, resetsAt: text }),
  },
);

/**
 * Unknown values count as the most cautious ones. A problem without a recovery has an unknown
 * outcome.
 */
function toRecovery(value: unknown, status: number): Recovery {
  const given = recoverySchema(value) ?? { retry: status < 500 ? '' : later };
  const { outcome, retry, sessionAction, ...rest } = given;
  return {
    ...rest,
    outcome: outcome === 'notApplied' ? outcome : 'unknown',
    retry: retry === 'retrySameRequest' || retry === later ? retry : 'doNotRetry',
    ...((sessionAction === 'refresh' || sessionAction === 'signIn') && { sessionAction }),
  };
}

const attributes: Parser<NonNullable<Problem['attributes']>> = (value) =>
  // cast: it came out of JSON.parse
  isObject(value) ? (value as NonNullable<Problem['attributes']>) : undefined;

const shape = object(
  { type: text },
  {
    title: text,
    status: number,
    detail: text,
    instance: text,
    occurredAt: text,
    id: text,
    attributes,
  },
);

/** `undefined` if the body is not a Problem. */
export function parseProblem(body: unknown, status: number): WireProblem | undefined {
  const given = shape(body);
  // The part before `/problems/` differs between deployments (D37).
  const type = /\/problems\/([^/?#]+)$/.exec(given?.type ?? '')?.[1];
  if (type === undefined || !isObject(body)) return undefined;
  const { recovery, problems } = body;
  const nested = Array.isArray(problems) ? problems : [];
  // A cause has no causes of its own.
  const causes = nested.flatMap((cause) => parseProblem({ ...cause, problems: 0 }, status) ?? []);
  return {
    title: type,
    status,
    occurredAt: '',
    id: '',
    ...given,
    type,
    recovery: toRecovery(recovery, status),
    // cast: nested problems are causes, and callers do not switch on their types
    problems: causes as Problem[],
  };
}

/** The problem as one of the operation's documented types, or `unexpected`. */
export function expected<P extends ProblemType>(
  problem: WireProblem,
  types: readonly P[],
): ProblemOf<P> | UnexpectedProblem {
  const { type: name, title, recovery } = problem;
  return types.some((type) => type === name)
    ? // cast: its type is one of `types`
      (problem as ProblemOf<P>)
    : { type: 'unexpected', title, recovery, name, problem };
}

/** The problem as received, also of a type that the operation does not document. */
export function receivedOf(problem: AnyProblem): Partial<WireProblem> {
  return 'problem' in problem ? problem.problem : problem;
}

/**
 * The reason, if the core publishes one (`attributes.reason`). Keep a default, because new reasons
 * may be added.
 */
export function reasonOf(problem: AnyProblem): string | undefined {
  return text(receivedOf(problem).attributes?.['reason']);
}
