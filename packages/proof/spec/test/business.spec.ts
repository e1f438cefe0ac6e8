import { ResultAsync, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { payoutPreferences, problem, reason } from '../src/answer.ts';
import {
  givenAccount,
  givenPayoutPreferences,
  givenSchedule,
  keepingSchedules,
  withSchedulesInUse,
} from '../src/business.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };

describeEverywhere('removeFinancialAccount', (makeWorld) => {
  const remove = ({ send }: World, id2: string, id = 'shop') =>
    send('removeFinancialAccount', 'owner', { id, id2 });

  it('unlinks an account once', async () => {
    const world = await makeWorld();
    const account = await givenAccount(world);
    const other = await givenAccount(world);
    expect(await remove(world, account)).toMatchObject({ status: 204, text: '' });
    problem(await remove(world, account), 'notFound');
    expect((await world.store.financialAccounts.get(other)).unwrapOr(undefined)?.id).toBe(other);
  });

  it('unlinks it once for two concurrent requests', async () => {
    const world = await makeWorld();
    const account = await givenAccount(world);
    const answers = await Promise.all([remove(world, account), remove(world, account)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('keeps the default account until another one is the default (D30)', async () => {
    const world = await makeWorld();
    const account = await givenAccount(world, { isDefault: true });
    const refused = problem(await remove(world, account), 'conflict');
    expect(reason(refused)).toBe('defaultAccount');
    expect(refused.recovery).toEqual(notApplied);
    await givenAccount(world, { isDefault: true });
    expect((await remove(world, account)).status).toBe(204);
  });

  it('keeps one that becomes the default at the same moment', async () => {
    const later: { putDefault?: () => Promise<unknown> } = {};
    const world = await makeWorld({
      store: (real): Store => ({
        ...real,
        financialAccounts: {
          // The record changes between the read and the write.
          get: (id) =>
            real.financialAccounts.get(id).andThen((found) => {
              const { putDefault } = later;
              delete later.putDefault;
              return ResultAsync.fromSafePromise(Promise.resolve(putDefault?.()).then(() => found));
            }),
        },
      }),
    });
    const account = await givenAccount(world);
    later.putDefault = () => givenAccount(world, { id: account, isDefault: true });
    expect(reason(problem(await remove(world, account), 'conflict'))).toBe('defaultAccount');
  });

  it('returns 404 for an account under another business, the caller’s or not (D30)', async () => {
    const world = await makeWorld();
    const foreign = await givenAccount(world, { businessId: 'newShop' });
    problem(await remove(world, foreign), 'notFound');
    const own = await givenAccount(world);
    problem(await remove(world, own, 'newShop'), 'forbidden');
    problem(await remove(world, own, 'nowhere'), 'notFound');
    for (const id of ['é', 'x'.repeat(256), 'a\u0001b', '%']) {
      problem(await remove(world, id), 'notFound');
      problem(await remove(world, own, id), 'notFound');
    }
    expect((await remove(world, own)).status).toBe(204);
  });

  it('does not reveal the accounts of others (D11)', async () => {
    const world = await makeWorld();
    const foreign = await givenAccount(world, { businessId: 'newShop' });
    const texts = [];
    for (const account of [foreign, 'none']) {
      const { detail, type } = problem(await remove(world, account, 'newShop'), 'forbidden');
      texts.push({ detail, type });
    }
    expect(texts[0]).toEqual(texts[1]);
  });
});

describeEverywhere('deleteBarberSchedule', (makeWorld) => {
  it('removes a schedule once, for its barber and for administrators', async () => {
    const world = await makeWorld();
    for (const as of ['ada', 'administrator'] as const) {
      const id2 = await givenSchedule(world);
      const request = { id: 'ada', id2 };
      expect(await world.send('deleteBarberSchedule', as, request)).toMatchObject({
        status: 204,
        text: '',
      });
      problem(await world.send('deleteBarberSchedule', as, request), 'notFound');
    }
  });

  it('returns 404 for one under another barber (D11, D30)', async () => {
    const world = await makeWorld();
    const id2 = await givenSchedule(world, 'ben');
    for (const as of ['ada', 'administrator'] as const) {
      problem(await world.send('deleteBarberSchedule', as, { id: 'ada', id2 }), 'notFound');
    }
    problem(await world.send('deleteBarberSchedule', 'ada', { id: 'ben', id2 }), 'forbidden');
    problem(await world.send('deleteBarberSchedule', 'ada', { id: 'none', id2 }), 'notFound');
    // Others do not learn which barbers exist.
    problem(await world.send('deleteBarberSchedule', 'owner', { id: 'none', id2 }), 'forbidden');
  });

  it('removes it once for two concurrent requests', async () => {
    const world = await makeWorld();
    const request = { id: 'ada', id2: await givenSchedule(world) };
    const remove = () => world.send('deleteBarberSchedule', 'ada', request);
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('keeps one that the host still needs (D30)', async () => {
    const world = await makeWorld({ store: withSchedulesInUse });
    const id2 = await givenSchedule(world);
    const refused = problem(
      await world.send('deleteBarberSchedule', 'ada', { id: 'ada', id2 }),
      'conflict',
    );
    expect(reason(refused)).toBe('scheduleInUse');
    expect(refused.recovery).toEqual(notApplied);
    expect((await world.store.schedules.get(id2)).unwrapOr(undefined)?.id).toBe(id2);
  });

  it('says "not applied" if the store knows it', async () => {
    const store = keepingSchedules({ kind: 'storeUnavailable', outcome: 'notApplied' });
    const world = await makeWorld({ store });
    const request = { id: 'ada', id2: await givenSchedule(world) };
    const failed = await world.send('deleteBarberSchedule', 'ada', request);
    expect(problem(failed, 'serviceUnavailable').recovery?.outcome).toBe('notApplied');
  });
});

describeEverywhere('getPayoutPreferences', (makeWorld) => {
  it('shows each of the four kinds of settings (D7)', async () => {
    const world = await makeWorld();
    for (const settings of [
      { frequency: 'daily', delayDays: 0 },
      { frequency: 'weekly', delayDays: 31, dayOfWeek: 'sunday' },
      { frequency: 'monthly', delayDays: 2, dayOfMonth: 31 },
      { frequency: 'manual' },
    ] as const) {
      await givenPayoutPreferences(world, 'shop', settings);
      const shown = await world.send('getPayoutPreferences', 'owner', { id: 'shop' });
      expect(payoutPreferences(shown)).toEqual({ settings });
    }
  });

  it('shows a business its own preferences, if it has any', async () => {
    const world = await makeWorld();
    await givenPayoutPreferences(world, 'newShop');
    const get = (id: string) => world.send('getPayoutPreferences', 'owner', { id });
    problem(await get('shop'), 'notFound');
    problem(await get('newShop'), 'forbidden');
    problem(await get('nowhere'), 'notFound');
  });

  it('rejects a caller without a business', async () => {
    const world = await makeWorld();
    const get = (businessIds: readonly string[]) =>
      world.chairside.getPayoutPreferences(
        { subject: 'user', businessIds },
        { businessId: 'none' },
      );
    expect((await get([]))._unsafeUnwrapErr().type).toBe('forbidden');
    expect((await get(['shop']))._unsafeUnwrapErr().type).toBe('notFound');
  });
});
