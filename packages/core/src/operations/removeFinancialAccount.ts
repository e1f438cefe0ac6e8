import { find, findOwnBusiness } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { err } from '../domain/result.ts';

export interface RemoveFinancialAccountInput {
  readonly businessId: string;
  readonly accountId: string;
}

export const removeFinancialAccount = {
  /**
   * Unlinks a bank account from one of the caller's businesses. The default account is a 409 `conflict`.
   *
   * @example
   * const removed = await chairside.removeFinancialAccount(manager, {
   *   businessId: 'shop',
   *   accountId: 'account_1',
   * });
   */
  removeFinancialAccount: operation<RemoveFinancialAccountInput, void>()({
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Businesses',
    summary: 'Unlinks a bank account from a business',
    description:
      'A business can remove only its own accounts. The default payout account cannot be removed until another account is the default.',
    run: steps,
  }),
};

export type RemoveFinancialAccountError = OperationError<typeof removeFinancialAccount>;

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
