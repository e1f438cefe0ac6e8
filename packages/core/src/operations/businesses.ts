import { find, findOwnBusiness } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { operation } from '../call/operation.ts';
import { conflict } from '../domain/refusals.ts';
import { err } from '../domain/result.ts';
import {
  type BusinessPayoutPreferences,
  businessPayoutPreferencesSchema,
} from '../schemas/payout-preferences.ts';
import { payoutPreferencesShapes } from '../schemas/shapes/payout-preferences.ts';

/** Operations on the records of a business. */
export const businesses = {
  /**
   * Unlinks a bank account from one of the caller's businesses. The default account is a 409 `conflict`.
   *
   * @example
   * const removed = await chairside.removeFinancialAccount(manager, {
   *   businessId: 'shop',
   *   accountId: 'account_1',
   * });
   */
  removeFinancialAccount: operation<
    { readonly businessId: string; readonly accountId: string },
    void
  >()({
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Businesses',
    summary: 'Unlinks a bank account from a business',
    description:
      'A business can remove only its own accounts. The default payout account cannot be removed until another account is the default.',
    async *run({ ports, auth }, input) {
      const business = yield* findOwnBusiness(ports, auth, input.businessId);
      // Under another business's path the account does not exist (D30).
      const account = yield* await find(
        'financial account',
        input.accountId,
        ports.store.financialAccounts,
        ({ businessId }) => businessId === business.id,
      );
      if (account.isDefault) {
        const detail = 'Payouts go to this account; make another one the default first.';
        return yield* err(conflict('defaultAccount', detail));
      }
      // If it became the default meanwhile, the store rejects the change and the run starts again.
      const { id, businessId } = account;
      yield* await commit(ports, [{ kind: 'deleteFinancialAccount', businessId, id }]);
    },
  }),

  /**
   * Reads the payout schedule of one of the caller's businesses.
   *
   * @example
   * const payouts = await chairside.getPayoutPreferences(manager, { businessId: 'shop' });
   * if (payouts.isOk()) console.log(payouts.value.settings.frequency);
   */
  getPayoutPreferences: operation<{ readonly businessId: string }, BusinessPayoutPreferences>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Businesses',
    summary: "Reads a business's payout schedule",
    description:
      'A business can read only its own preferences. Payouts due on a weekend or a holiday are made on the next business day.',
    output: businessPayoutPreferencesSchema,
    shapes: payoutPreferencesShapes,
    async *run({ ports, auth }, { businessId }) {
      const { id } = yield* findOwnBusiness(ports, auth, businessId);
      const { payoutPreferences } = ports.store;
      const { settings } = yield* await find('payout preference', id, payoutPreferences);
      return { settings };
    },
  }),
};
