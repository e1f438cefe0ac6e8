import { type CountedCall, countCall, tooManyRequests } from '../frame/access.ts';
import { operation } from '../frame/operation.ts';
import { badRequest, fieldFault } from '../problems/problem.ts';
import { err } from '../values/result.ts';
import {
  type ChallengeMethods,
  type ChallengeMethodsQuery,
  challengeMethodsQuery,
  challengeMethodsSchema,
  challengeMethodsShapes,
} from './wire.ts';

export const challengeMethods = {
  /**
   * Lists how a one-time passcode can be sent. The response depends on the channel alone, so it reveals
   * no account: no user is read. Calls are also counted for each target (D8).
   *
   * @example
   * const methods = await chairside.listChallengeMethods(customer, {
   *   query: { emailAddress: 'ada@marlow.example' },
   * });
   */
  listChallengeMethods: operation({
    limit: 'challengeMethods',
    problems: ['badRequest'],
    group: 'Authentication',
    summary: 'Lists the ways to send a one-time passcode to a user',
    description:
      'Give exactly one of the two query parameters. The response does not reveal whether an account exists.',
    query: challengeMethodsQuery,
    output: challengeMethodsSchema,
    shapes: challengeMethodsShapes,
  })<ChallengeMethods>(async function* ({ ports, call }, { query }) {
    if ((query.phoneNumber === undefined) === (query.emailAddress === undefined)) {
      return yield* err(badRequest([fieldFault('query/phoneNumber', notOneParameter)]));
    }
    const { channel, target } = channelOf(query);
    const counted = await countCall(ports, 'challengeTargets', target);
    if (counted !== undefined) {
      call.facts.rateLimit = tighter(call.facts.rateLimit, counted);
      if (!counted.allowed) return yield* err(tooManyRequests(counted));
    }
    const items = ports.challengeMethods[channel].map((label) => ({ label }));
    return { items, count: items.length };
  }),
};

const notOneParameter = 'query/phoneNumber or query/emailAddress must be given, and not both.';

/** The rate-limit key of a target. Different spellings of one target give the same key. */
function channelOf({ phoneNumber, emailAddress = '' }: ChallengeMethodsQuery) {
  if (phoneNumber === undefined) {
    // Mail servers treat `ｅxample.com` as `example.com`, so full-width letters and similar forms
    // are normalised.
    const target = `email ${emailAddress.normalize('NFKC').toLowerCase()}`;
    return { channel: 'email', target } as const;
  }
  // Callers dial `+49 (0)30 …` without the zero.
  const digits = phoneNumber
    .replace('(0)', '')
    .replaceAll(/[^0-9]/g, '')
    .replace(/^0+/, '');
  return { channel: 'phone', target: `phone ${digits}` } as const;
}

/** The quota that the caller would exhaust first. */
function tighter(one: CountedCall | undefined, other: CountedCall): CountedCall {
  return one !== undefined && one.remaining < other.remaining ? one : other;
}
