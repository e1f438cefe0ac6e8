import { expect, it } from 'vitest';
import { storeContract } from '../src/contracts.ts';
import { aPayment, createMapStore, someTime } from '../src/index.ts';
import { createMapDatabase } from '../src/store/map/database.ts';
import { connectTo } from '../src/store/map/map-store.ts';

const noServer = 'a Map has no server';
const noLock = 'a Map has no locks';
const without = {
  hold: noLock,
  ...{ loseReply: noServer, cutOff: noServer, delayRequest: noServer },
  ...{ stall: noServer, kill: noServer, restart: noServer },
  failFlush: 'a Map has no files',
};

storeContract(
  'The Map store',
  async () => {
    const database = createMapDatabase();
    return {
      store: connectTo(database),
      second: async () => connectTo(database),
      inMemory: 'a Map ends with its process',
    };
  },
  without,
);

storeContract(
  'The Map store, begun from snapshots,',
  async () => {
    const store = createMapStore();
    return { store, reopen: async () => createMapStore({ from: store.snapshot() }) };
  },
  { ...without, second: 'a snapshot is of one store' },
);

it('keeps a snapshot unchanged by later commits', async () => {
  const store = createMapStore();
  const insert = (id: string) => {
    const payment = aPayment({ id });
    return store.commit({ id, at: someTime, changes: [{ kind: 'insertPayment', payment }] });
  };
  const before = await insert('before');
  const from = store.snapshot();
  const after = await insert('after');
  expect([before.isOk(), after.isOk()]).toStrictEqual([true, true]);

  const crashed = createMapStore({ from });
  const ids = await crashed.payments
    .listByAppointment('appointment-1', 9)
    .map((payments) => payments.map(({ id }) => id));
  expect(ids._unsafeUnwrap()).toStrictEqual(['before']);
});
