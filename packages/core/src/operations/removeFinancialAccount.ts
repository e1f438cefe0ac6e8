import { find, findOwnBusiness } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { type Fault, fault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';

export interface RemoveFinancialAccountInput {
  readonly businessId: string;
  readonly accountId: string;
}

export type RemoveFinancialAccountError = ProblemOf<
  'forbidden' | 'notFound' | 'conflict' | CommonProblem
>;

/**
 * Unlinks a bank account from one of the caller's businesses, except the payout account (spec
 * "Business, barber and authentication operations", D30).
 */
export function removeFinancialAccount(
  ports: Ports,
  caller: Caller,
  input: RemoveFinancialAccountInput,
): ResultAsync<void, RemoveFinancialAccountError> {
  return perform(ports, 'removeFinancialAccount', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: RemoveFinancialAccountInput) {
  const business = yield* findOwnBusiness(ports, auth, input.businessId);
  // Under another business's path the account does not exist (D30).
  const account = yield* await find(
    'financial account',
    input.accountId,
    ports.store.financialAccounts,
    ({ businessId }) => businessId === business.id,
  );
  if (account.isDefault) return yield* err(isDefault());
  // If it became the default meanwhile, the store rejects the change and the run starts again.
  const { id, businessId } = account;
  yield* await commit(ports, [{ kind: 'deleteFinancialAccount', businessId, id }]);
}

function isDefault(): Fault<'conflict'> {
  return fault('conflict', 'Payouts go to this account; make another one the default first.', {
    attributes: { reason: 'defaultAccount' },
  });
}
