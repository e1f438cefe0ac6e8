import { errAsync, type FinancialAccount, type PayoutPreferences } from '@chairside/core';
import type { Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { fresh } from './shop.ts';
import type { World } from './world.ts';

type Records = Pick<World, 'chairside'>;

/** Puts another shop that can take cards. Returns its id. */
export async function givenOtherShop({ chairside }: Records): Promise<string> {
  const id = 'otherShop';
  const processorAccount = { id: 'acct_other', currency: 'eur' };
  const put = await chairside.records.putBusiness({ id, name: 'Finch', processorAccount });
  if (put.isErr()) throw new Error(put.error.detail);
  return id;
}

/** Links a bank account to the shop, by default not as the default account. Returns its id. */
export async function givenAccount(
  { chairside }: Records,
  over: Partial<FinancialAccount> = {},
): Promise<string> {
  const account = {
    id: fresh('account'),
    businessId: 'shop',
    bankName: 'Old Town Savings',
    maskedAccountNumber: '*6789',
    currency: 'eur',
    isDefault: false,
    ...over,
  };
  const put = await chairside.records.putFinancialAccount(account);
  if (put.isErr()) throw new Error(put.error.detail);
  return account.id;
}

/** Puts a weekly schedule, by default Ada's. Returns its id. */
export async function givenSchedule({ chairside }: Records, barberId = 'ada'): Promise<string> {
  const id = fresh('schedule');
  const hours = [{ day: 'monday', from: '09:00', to: '17:30' }] as const;
  const put = await chairside.records.putSchedule({
    id,
    barberId,
    name: 'Winter',
    hours: [...hours],
  });
  if (put.isErr()) throw new Error(put.error.detail);
  return id;
}

export async function givenPayoutPreferences(
  { chairside }: Records,
  businessId = 'shop',
  settings: PayoutPreferences['settings'] = { frequency: 'manual' },
): Promise<void> {
  const put = await chairside.records.putPayoutPreferences({ businessId, settings });
  if (put.isErr()) throw new Error(put.error.detail);
}

/** A store that refuses to delete schedules, with this error. */
export function keepingSchedules(why: StoreConflict | StoreUnavailable) {
  return (real: Store): Store => ({
    ...real,
    commit: (commit) =>
      commit.changes.some(({ kind }) => kind === 'deleteSchedule')
        ? errAsync(why)
        : real.commit(commit),
  });
}

/** The store of a host whose appointments need every schedule. */
export const withSchedulesInUse = keepingSchedules({
  kind: 'storeConflict',
  change: 'deleteSchedule',
});
