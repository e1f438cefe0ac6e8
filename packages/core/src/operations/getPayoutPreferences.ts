import { find, findOwnBusiness } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { BusinessPayoutPreferences } from '../schemas/payout-preferences.ts';

export interface GetPayoutPreferencesInput {
  readonly businessId: string;
}

export type GetPayoutPreferencesError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/**
 * Reads the payout schedule of one of the caller's businesses (spec "Business, barber and
 * authentication operations", D7).
 */
export function getPayoutPreferences(
  ports: Ports,
  caller: Caller,
  input: GetPayoutPreferencesInput,
): ResultAsync<BusinessPayoutPreferences, GetPayoutPreferencesError> {
  return perform(ports, 'getPayoutPreferences', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: GetPayoutPreferencesInput) {
  const { id } = yield* findOwnBusiness(ports, auth, input.businessId);
  const { payoutPreferences } = ports.store;
  const { settings } = yield* await find('payout preference', id, payoutPreferences);
  return { settings };
}
