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
  /** Exactly one of the two. */
  readonly query: ChallengeMethodsQuery;
}

export type ListChallengeMethodsError = ProblemOf<'badRequest' | CommonProblem>;

/**
 * Lists how a one-time passcode can be sent to a phone number or an email address (spec "Business,
 * barber and authentication operations", D8).
 *
 * The answer depends on the channel alone, and no user is read for it: not even how long it takes
 * can then tell who has an account. Calls are counted for each target too.
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

/** However a target is written, it is one: its name leaves out what people write differently. */
function channelOf({ phoneNumber, emailAddress = '' }: ChallengeMethodsQuery) {
  if (phoneNumber === undefined) {
    // Mail goes to `ｅxample.com` as to `example.com`: full-width letters and the like are one.
    const target = `email ${emailAddress.normalize('NFKC').toLowerCase()}`;
    return { channel: 'email', target } as const;
  }
  // `+49 (0)30 …` is dialled without the zero.
  const digits = phoneNumber
    .replace('(0)', '')
    .replaceAll(/[^0-9]/g, '')
    .replace(/^0+/, '');
  return { channel: 'phone', target: `phone ${digits}` } as const;
}

/** The quota that a caller comes to the end of first. */
function tighter(one: CountedCall | undefined, other: CountedCall): CountedCall {
  return one !== undefined && one.remaining < other.remaining ? one : other;
}
