import { find, findOwnBusiness } from '../call/access.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import type { BusinessPayoutPreferences } from '../schemas/payout-preferences.ts';
import { businessPayoutPreferencesSchema } from '../schemas/payout-preferences.ts';
import { payoutPreferencesShapes } from '../schemas/shapes/payout-preferences.ts';

export interface GetPayoutPreferencesInput {
  readonly businessId: string;
}

export const getPayoutPreferences = {
  /**
   * Reads the payout schedule of one of the caller's businesses.
   *
   * @example
   * const payouts = await chairside.getPayoutPreferences(manager, { businessId: 'shop' });
   * if (payouts.isOk()) console.log(payouts.value.settings.frequency);
   */
  getPayoutPreferences: operation<GetPayoutPreferencesInput, BusinessPayoutPreferences>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Businesses',
    summary: "Reads a business's payout schedule",
    description:
      'A business can read only its own preferences. Payouts due on a weekend or a holiday are made on the next business day.',
    output: businessPayoutPreferencesSchema,
    shapes: payoutPreferencesShapes,
    run: steps,
  }),
};

export type GetPayoutPreferencesError = OperationError<typeof getPayoutPreferences>;

async function* steps({ ports, auth }: Run, input: GetPayoutPreferencesInput) {
  const { id } = yield* findOwnBusiness(ports, auth, input.businessId);
  const { payoutPreferences } = ports.store;
  const { settings } = yield* await find('payout preference', id, payoutPreferences);
  return { settings };
}
