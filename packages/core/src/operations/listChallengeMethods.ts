import { countCall, tooManyRequests } from '../call/admission.ts';
import type { Caller, CountedCall } from '../call/call.ts';
import { parseInput } from '../call/input.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import {
  type ChallengeMethods,
  type ChallengeMethodsQuery,
  listChallengeMethodsInputSchema,
} from '../schemas/challenge-methods.ts';

export interface ListChallengeMethodsInput {
  /** Exactly one of its two members. */
  readonly query: ChallengeMethodsQuery;
}

export type ListChallengeMethodsError = ProblemOf<'badRequest' | CommonProblem>;

/**
 * Lists the ways to send a one-time passcode to a phone number or an email address (spec "Business,
 * barber and authentication operations", D8).
 *
 * The result depends on the channel alone, and no user is read. So neither the response nor its
 * time reveals who has an account. Calls are also counted for each target.
 */
export function listChallengeMethods(
  ports: Ports,
  caller: Caller,
  input: ListChallengeMethodsInput,
): ResultAsync<ChallengeMethods, ListChallengeMethodsError> {
  return perform(ports, 'listChallengeMethods', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, call }: Run, input: ListChallengeMethodsInput) {
  const { query } = yield* parseInput(listChallengeMethodsInputSchema, { query: input.query });
  const { channel, target } = channelOf(query);

  const counted = await countCall(ports, 'challengeTargets', target);
  if (counted !== undefined) {
    call.facts.rateLimit = tighter(call.facts.rateLimit, counted);
    if (!counted.allowed) return yield* err(tooManyRequests(counted));
  }
  const items = ports.challengeMethods[channel].map((label) => ({ label }));
  return { items, count: items.length };
}

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
