import type { Problem, ProblemOf, ProblemType, Recovery } from '@chairside/core';
import { isObject, number, object, type Parser, text } from './parse.ts';

/**
 * No readable answer came: the request may have been carried out or not. Send it again, with the
 * same key, to learn the outcome.
 */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly title: string;
  readonly recovery: Recovery;
  /**
   * `network`: no response. `unreadable`: a response that is not of this interface. `timeLimit`: the
   * time for this call is over. `aborted`: the signal stopped the waiting. `accessToken`: the app
   * gave no token. `input`: the request could not be built, so it was not sent.
   */
  readonly why: 'network' | 'unreadable' | 'timeLimit' | 'aborted' | 'accessToken' | 'input';
}

/** A problem of a type that this operation does not document, from a newer server or a proxy. */
export interface UnexpectedProblem {
  readonly type: 'unexpected';
  readonly title: string;
  readonly recovery: Recovery;
  /** What followed `/problems/` in the response. */
  readonly name: string;
  readonly problem: WireProblem;
}

export type ClientProblem = Unanswered | UnexpectedProblem;

/** A problem as received, its `type` being the bare name. */
export type WireProblem = Omit<Problem, 'type'> & { readonly type: string };

/** Any error of any operation. */
export type AnyProblem = Problem | ClientProblem;

export function unanswered(why: Unanswered['why']): Unanswered {
  const recovery: Recovery =
    why === 'input'
      ? { outcome: 'notApplied', retry: 'doNotRetry' }
      : { outcome: 'unknown', retry: later };
  return { type: 'unanswered', title: `No answer: ${why}`, why, recovery };
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

/** Unknown words count as the careful ones. A problem without a recovery is an unknown outcome. */
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

/** `undefined` if the body is not a Problem, whoever sent it. */
export function parseProblem(body: unknown, status: number): WireProblem | undefined {
  const given = shape(body);
  // Deployments differ in what precedes `/problems/` (D37).
  const type = /\/problems\/([^/?#]+)$/.exec(given?.type ?? '')?.[1];
  if (type === undefined || !isObject(body)) return undefined;
  const { recovery, problems } = body;
  const nested = Array.isArray(problems) ? problems : [];
  return {
    title: type,
    status,
    occurredAt: '',
    id: '',
    ...given,
    type,
    recovery: toRecovery(recovery, status),
    // cast: nested problems are causes, whose types no one switches on
    problems: nested.flatMap((cause) => parseProblem(cause, status) ?? []) as Problem[],
  };
}

/** The problem as one of the types that the operation documents, or `unexpected`. */
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

/** Why, where the core publishes it (`attributes.reason`). New reasons may come: keep a default. */
export function reasonOf(problem: AnyProblem): string | undefined {
  return 'attributes' in problem ? text(problem.attributes?.['reason']) : undefined;
}
