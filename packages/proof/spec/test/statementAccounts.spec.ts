import { type Business, errAsync, type StatementView } from '@chairside/core';
import { expect, it } from 'vitest';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import { host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** A business that changes its account keeps the statements of the earlier one. */
describeEverywhere('the accounts of a statement', (makeWorld, { store, transport }) => {
  const once = it.skipIf(store !== 'map' || transport !== 'in process');
  const old = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };

  async function put({ chairside }: Pick<World, 'chairside'>, over: Partial<Business>) {
    const shop = { id: 'shop', name: 'Marlow & Sons', ...over };
    expect((await chairside.records.putBusiness(shop)).isOk()).toBe(true);
  }
  const changeAccount = (world: Pick<World, 'chairside'>, id: string) =>
    put(world, { processorAccount: { ...old, id } });

  const span = { from: '2026-11-02T00:00:00.000Z', until: '2027-11-20T00:00:00.000Z' };
  const payouts = async ({ chairside }: Pick<World, 'chairside'>) =>
    (await chairside.listPayouts(host, { businessId: 'shop', ...span }))._unsafeUnwrap();

  /** A payment that the processor captured at this account and that has no record here. */
  async function givenOrphan({ processor, clock }: World, account: string) {
    const asked = {
      account,
      paymentId: fresh('cpm_lost'),
      installation: 'chairside',
      begunAt: clock.now(),
      amountMinor: 4500n,
      currency: 'eur',
    };
    const opened = await processor.openPayment({ ...asked, idempotencyKey: fresh('lost') });
    const { reference = '', clientSecret } = opened._unsafeUnwrap();
    processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    const key = { reference, idempotencyKey: fresh('lost') };
    (await processor.capturePayment({ ...asked, ...key }))._unsafeUnwrap();
    return asked.paymentId;
  }

  /** The accounts in `failing` cannot be read. */
  function withoutAccess(world: World, failing: readonly string[]) {
    const { settlements } = world.processor;
    return withProcessor(world, {
      settlements: {
        ...settlements,
        listEntries: (request) =>
          failing.includes(request.ledger)
            ? errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false })
            : settlements.listEntries(request),
      },
    });
  }

  it("lists an earlier account's payouts, and those of the present one (D50)", async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    await pass(world, dayMs);
    await changeAccount(world, 'acct_new');
    await givenCaptured(world);
    await pass(world, 6 * dayMs);
    const listed = await payouts(world);
    expect(listed.map(({ ours, others }) => [ours, others])).toEqual([
      ['44.07', '0.00'],
      ['44.07', '0.00'],
    ]);
    const arrivals = listed.map(({ arrivesAt }) => arrivesAt);
    expect(arrivals).toEqual(arrivals.toSorted());
    const business = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    expect(business?.earlierAccounts).toEqual([{ id: 'acct_shop' }]);
  });

  it('shows an unknown entry at an account where no payment of ours is known (D50)', async () => {
    const world = await makeWorld();
    await changeAccount(world, 'acct_new');
    const lost = await givenOrphan(world, 'acct_shop');
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    expect(await statement(world, day)).toMatchObject({
      state: 'differs',
      differences: [{ reason: 'missingHere', contactlessPaymentId: lost, theirs: '45.00' }],
    });
  });

  it('is open while an earlier account cannot be read, until a person retires it', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    const first = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    await changeAccount(world, 'acct_new');
    const chairside = withoutAccess(world, ['acct_shop']);
    const there = { clock: world.clock, chairside };
    const day = dayAt(world.clock.now());
    await givenCaptured({ ...world, chairside });
    await pass(there, 3 * dayMs);
    const open = await statement(there, day);
    expect(open).toMatchObject({ state: 'open', waitsFor: [{ account: 'acct_shop' }] });
    expect(open.waitsFor).toHaveLength(1);
    expect(open.waitsFor?.[0]?.readUntil).toBe(open.readUntil);
    // The day before the change was read in time.
    expect((await statement(there, first)).state).toBe('closed');

    const retired = { id: 'acct_shop', retiredAt: open.from };
    await put(there, { processorAccount: { ...old, id: 'acct_new' }, earlierAccounts: [retired] });
    await changeAccount(there, 'acct_new');
    const closed = await statement(there, day);
    expect(closed).toMatchObject({ state: 'closed', differences: [] });
    expect(closed).not.toHaveProperty('waitsFor');
    const business = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    expect(business?.earlierAccounts).toEqual([retired]);
  });

  once('waits for an earlier account for 180 days, and for the present one always', async () => {
    const world = await makeWorld();
    await changeAccount(world, 'acct_new');
    const chairside = withoutAccess(world, ['acct_shop']);
    const there = { clock: world.clock, chairside };
    const stateOn = async (day: string): Promise<StatementView['state']> =>
      (await statement(there, day)).state;
    const day = dayAt(world.clock.now());
    await pass(there, 2 * dayMs);
    expect(await stateOn(day)).toBe('open');
    world.clock.advance(180 * dayMs);
    await pass(there, dayMs);
    expect(await stateOn(day)).toBe('closed');
    const failing = { clock: world.clock, chairside: withoutAccess(world, ['acct_new']) };
    world.clock.advance(200 * dayMs);
    await pass(failing, dayMs);
    const late = dayAt(world.clock.now() - 3 * dayMs);
    expect((await statement(failing, late)).waitsFor).toMatchObject([{ account: 'acct_new' }]);
  });

  it('remembers each account once, and the present one never as an earlier one', async () => {
    const world = await makeWorld();
    for (const id of ['acct_b', 'acct_b', 'acct_shop', 'acct_c']) await changeAccount(world, id);
    await put(world, {});
    const business = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    const ids = business?.earlierAccounts?.map(({ id }) => id);
    expect(ids?.toSorted()).toEqual(['acct_b', 'acct_c', 'acct_shop']);
    expect(business?.processorAccount).toBeUndefined();
  });
});
