import {
  errAsync,
  type FinancialAccount,
  type PayoutPreferences,
  type Store,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import { fresh } from './shop.ts';
import type { World } from './world.ts';

type Records = Pick<World, 'chairside'>;

/** Links a bank account to the shop; not its default one unless said otherwise. Answers its id. */
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

/** Puts a weekly schedule of Ada's, unless said otherwise. Answers its id. */
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

/** A store that deletes no schedule, for this reason. */
export function keepingSchedules(why: StoreConflict | StoreUnavailable) {
  return (real: Store): Store => ({
    ...real,
    commit: (commit) =>
      commit.changes.some(({ kind }) => kind === 'deleteSchedule')
        ? errAsync(why)
        : real.commit(commit),
  });
}

/** The store of a host that lets no schedule go, since appointments hang on each. */
export const withSchedulesInUse = keepingSchedules({
  kind: 'storeConflict',
  change: 'deleteSchedule',
});
