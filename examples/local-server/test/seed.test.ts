import { createChairside, err, errAsync, ok, systemClock } from '@chairside/core';
import type { ChangeKind, Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import { expect, test } from 'vitest';
import { paidAppointment } from '../src/demo-data.ts';
import { listOpenAppointments, seed } from '../src/seed.ts';

function open() {
  const store = openSqliteStore(':memory:')._unsafeUnwrap();
  const simulated = createFakeProcessor({ clock: systemClock });
  return { store, simulated, chairside: createChairside({ store, processor: simulated }) };
}

test('seeding continues after an interruption, and pays once', async () => {
  const { store, simulated, chairside } = open();
  const broken = { ...simulated, presentCard: () => err({ kind: 'storageFailed' } as const) };
  expect(await seed({ chairside, store, simulated: broken })).toEqual(err('storageFailed'));
  for (const _ of ['again', 'and again']) {
    expect((await seed({ chairside, store, simulated })).isOk()).toBe(true);
  }
  await chairside.settled();
  const ledger = (await store.ledgers.get(paidAppointment.id))._unsafeUnwrap();
  expect(ledger).toMatchObject({ capturedMinor: 4500n, reservedMinor: 0n, openPayments: 0 });
  const captured = simulated.entries().filter(({ status }) => status === 'captured');
  expect(captured).toHaveLength(1);
});

test('servers that start at the same moment on one file all start, and one of them pays', async () => {
  const { store, simulated, chairside } = open();
  const seeds = Array.from({ length: 4 }, () => seed({ chairside, store, simulated }));
  for (const seeded of await Promise.all(seeds)) expect(seeded).toEqual(ok());
  await chairside.settled();
  const ledger = (await store.ledgers.get(paidAppointment.id))._unsafeUnwrap();
  expect(ledger).toMatchObject({ capturedMinor: 4500n, reservedMinor: 0n, openPayments: 0 });
});

test('deletable records are seeded once, even if the first start is interrupted repeatedly', async () => {
  const { store, simulated, chairside } = open();
  const failing = (kind: ChangeKind): Store => ({
    ...store,
    commit: (commit) =>
      commit.changes.some((change) => change.kind === kind)
        ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
        : store.commit(commit),
  });
  // An older database has the shops, but not their accounts.
  for (const kind of ['putFinancialAccount', 'putPayoutPreferences'] as const) {
    const interrupted = createChairside({ store: failing(kind), processor: simulated });
    expect((await seed({ chairside: interrupted, store, simulated })).isErr()).toBe(true);
  }

  const owner = { subject: 'x', businessIds: ['business_marlow'] };
  const remove = (accountId: string) =>
    chairside.removeFinancialAccount(owner, { businessId: 'business_marlow', accountId });
  expect((await seed({ chairside, store, simulated })).isOk()).toBe(true);
  expect((await remove('account_marlow_old')).isOk()).toBe(true);
  expect((await seed({ chairside, store, simulated })).isOk()).toBe(true);
  expect((await remove('account_marlow_old'))._unsafeUnwrapErr().type).toBe('notFound');
  expect((await remove('account_marlow_savings')).isOk()).toBe(true);
});

test('there are always enough open appointments, also after a restart', async () => {
  const { store, simulated, chairside } = open();
  expect((await seed({ chairside, store, simulated })).isOk()).toBe(true);
  const barber = { subject: 'x', barberId: 'barber_ada' };
  const list = listOpenAppointments(chairside, store);
  const before = (await list())._unsafeUnwrap();
  for (const appointmentId of before.slice(0, 30)) {
    const opened = await chairside.createContactlessPayment(
      { ...barber, subject: appointmentId },
      { appointmentId, idempotencyKey: 'key' },
    );
    expect(opened.isOk()).toBe(true);
  }
  const after = (await list())._unsafeUnwrap();
  expect(after.length).toBeGreaterThanOrEqual(50);
  expect(after.slice(0, 30)).toEqual(before.slice(30));
  expect((await listOpenAppointments(chairside, store)())._unsafeUnwrap()).toEqual(after);
});
