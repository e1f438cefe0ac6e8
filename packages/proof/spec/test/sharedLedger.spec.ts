import { hourMs, type ListRequest, okAsync, type Processor } from '@chairside/core';
import { expect, it } from 'vitest';
import { ada, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenAppointment } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** A processor that keeps the payments of all accounts in one ledger, as destination charges do. */
function platform(world: World, listPayments: Processor['listPayments']) {
  return withProcessor(world, { ledgerOf: () => 'platform', listPayments });
}

/** Opens a shop with an account and takes a payment in it. */
async function givenShop(world: World, to: ReturnType<typeof platform>, id: string) {
  const processorAccount = { id: `acct_${id}`, currency: 'eur' };
  const put = await world.chairside.records.putBusiness({ id, name: id, processorAccount });
  expect(put.isOk()).toBe(true);
  const appointmentId = await givenAppointment(world, { business: id });
  const created = await to.createContactlessPayment(ada, {
    appointmentId,
    idempotencyKey: fresh('create'),
  });
  expect(created.isOk()).toBe(true);
  return processorAccount.id;
}

describeEverywhere('the sweep of a ledger that many accounts share', (makeWorld) => {
  it('lists the ledger once for all accounts, and settles the orphans of each', async () => {
    const world = await makeWorld();
    const { clock, processor } = world;
    const listed: ListRequest[] = [];
    const orphans: string[] = [];
    const shared = platform(world, (request) => {
      listed.push(request);
      const items = processor.entries().map((entry) => ({
        paymentId: entry.paymentId,
        account: entry.account,
        reference: entry.id,
        openedAt: entry.createdAt,
        status: entry.status,
        currency: entry.currency,
        amountMinor: 4500n,
        clientSecret: 'not used',
      }));
      return okAsync({ items });
    });
    for (let index = 0; index < 12; index += 1) {
      const account = await givenShop(world, shared, `shop-${index}`);
      const opened = await processor.openPayment({
        account,
        paymentId: fresh('cpm_lost'),
        installation: 'chairside',
        begunAt: clock.now(),
        amountMinor: 4500n,
        currency: 'eur',
        idempotencyKey: fresh('lost'),
      });
      orphans.push(opened._unsafeUnwrap().reference ?? '');
    }
    clock.advance(2 * hourMs);
    expect((await shared.reconcile())._unsafeUnwrap().orphansCanceled).toBe(12);
    for (const orphan of orphans) expect(processor.ledgerEntry(orphan)?.status).toBe('canceled');
    expect(listed).toMatchObject([{ ledger: 'platform' }]);
    clock.advance(hourMs);
    expect((await shared.reconcile()).isOk()).toBe(true);
    expect(listed).toMatchObject([{ ledger: 'platform' }, { ledger: 'platform' }]);
    expect(listed[1]?.openedFrom).toBe(listed[0]?.openedBefore);
  });

  it('makes progress in each run, while other systems fill the ledger', async () => {
    const world = await makeWorld();
    const { clock } = world;
    const pageMs = 4 * hourMs;
    const cursors: (string | undefined)[] = [];
    const shared = platform(world, ({ openedFrom, openedBefore, cursor }) => {
      cursors.push(cursor);
      const readBefore = Number(cursor ?? openedFrom) + pageMs;
      const isLast = readBefore >= openedBefore;
      return okAsync({ items: [], ...(!isLast && { cursor: `${readBefore}` }) });
    });
    await givenShop(world, shared, 'shop-of-the-platform');
    const from = clock.now() - 7 * 24 * hourMs;
    clock.advance(2 * hourMs);
    // Twenty pages in a run, for the week before and the hour that is old enough.
    for (let runs = 0; runs < 4; runs += 1) expect((await shared.reconcile()).isOk()).toBe(true);
    const pages = Array.from({ length: 42 }, (_, page) => `${from + (page + 1) * pageMs}`);
    expect(cursors).toEqual([undefined, ...pages]);
  });
});
