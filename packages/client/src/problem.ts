import type { Problem, ProblemOf, ProblemType, Recovery } from '@chairside/core';
import { flag, isObject, number, object, type Parser, text } from './parse.ts';

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

const titles: Readonly<Record<Unanswered['why'], string>> = {
  network: 'No response arrived',
  unreadable: 'The response could not be read',
  timeLimit: 'No response arrived in time',
  aborted: 'The app stopped waiting',
  accessToken: 'The app has no access token',
  input: 'The input cannot be sent',
};

export function unanswered(why: Unanswered['why']): Unanswered {
  const recovery: Recovery =
    why === 'input'
      ? { outcome: 'notApplied', retry: 'doNotRetry' }
      : { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };
  return { type: 'unanswered', why, title: titles[why], recovery };
}

const rateLimit = object({ limit: number, remaining: number, resetsAt: text });

/** Unknown words count as the careful ones. A problem without a recovery is an unknown outcome. */
function parseRecovery(value: unknown, status: number): Recovery {
  const later = 'retrySameRequestAfterDelay';
  const given = isObject(value) ? value : { retry: status < 500 ? 'doNotRetry' : later };
  const { outcome, retry, sessionAction } = given;
  const limit = rateLimit(given['rateLimit']);
  return {
    outcome: outcome === 'notApplied' ? outcome : 'unknown',
    retry: retry === 'retrySameRequest' || retry === later ? retry : 'doNotRetry',
    ...((sessionAction === 'refresh' || sessionAction === 'signIn') && { sessionAction }),
    ...(limit !== undefined && { rateLimit: limit }),
  };
}

/** Deployments differ in what precedes `/problems/` (D37). */
function nameOf(type: string): string | undefined {
  return /\/problems\/([^/?#]+)$/.exec(type)?.[1];
}

const attributes: Parser<NonNullable<Problem['attributes']>> = (value) =>
  // cast: it came out of JSON.parse
  isObject(value) ? (value as NonNullable<Problem['attributes']>) : undefined;

/** `undefined` if the body is not a Problem, whoever sent it. */
export function parseProblem(body: unknown, status: number): WireProblem | undefined {
  if (!isObject(body)) return undefined;
  const type = nameOf(text(body['type']) ?? '');
  if (type === undefined) return undefined;
  const { detail, instance, problems } = body;
  const given = attributes(body['attributes']);
  return {
    type,
    title: text(body['title']) ?? type,
    status: number(body['status']) ?? status,
    occurredAt: text(body['occurredAt']) ?? '',
    id: text(body['id']) ?? '',
    ...(typeof detail === 'string' && { detail }),
    ...(typeof instance === 'string' && { instance }),
    ...(given !== undefined && { attributes: given }),
    recovery: parseRecovery(body['recovery'], status),
    ...(Array.isArray(problems) && {
      problems: problems.flatMap((nested) => {
        const parsed = parseProblem(nested, status);
        // cast: nested problems are causes, whose types no one switches on
        return parsed === undefined ? [] : [parsed as Problem];
      }),
    }),
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

/** Whether a refused payment's authorization is known to be released. */
export function isReleased(problem: AnyProblem): boolean {
  return 'attributes' in problem && flag(problem.attributes?.['isReleased']) === true;
}
