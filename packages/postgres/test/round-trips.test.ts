import { expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { commitOf, insertOf, newSchema, openStore } from './helpers.ts';
import { capture, create, givenAppointment, openShop, paymentOf, present } from './shop.ts';
import { openWire, type Wire } from './wire.ts';

async function given(): Promise<Wire> {
  const wire = await openWire();
  onTestFinished(wire.close);
  return wire;
}

it('a commit of any size is sent in one packet, and so is a read', async () => {
  const wire = await given();
  const schema = newSchema();
  const store = await openStore({ schema, maxConnections: 1 }, wire.connectionString);
  onTestFinished(store.close);
  const requestsOf = async (call: () => Promise<{ isOk(): boolean }>) => {
    const before = wire.requests();
    expect((await call()).isOk()).toBe(true);
    return wire.requests() - before;
  };
  for (const id of ['statements are prepared', 'and used']) {
    expect(await requestsOf(async () => store.commit(insertOf(id)))).toBe(1);
    // One that changes a table twice is sent as a transaction.
    const twice = [...insertOf(`${id}, one`).changes, ...insertOf(`${id}, two`).changes];
    expect(await requestsOf(async () => store.commit(commitOf(`${id}, twice`, ...twice)))).toBe(1);
    expect(await requestsOf(async () => store.payments.get(id))).toBe(1);
  }
});

it('a create and a capture send no more packets than their reads and commits', async () => {
  const wire = await given();
  const shop = await openShop({
    nodes: 1,
    openNode: (schema) => openPostgresStore(wire.connectionString, { schema, maxConnections: 1 }),
  });
  onTestFinished(shop.close);
  const [node] = shop.nodes;
  if (node === undefined) throw new Error('There is a node');
  // The first create of a process also asks to which processor the database belongs, and notes who pays.
  paymentOf(await create(node.chairside, await givenAppointment(shop, 'first'), 'first'));
  const appointmentId = await givenAppointment(shop, 'haircut');
  const before = wire.requests();
  const payment = paymentOf(await create(node.chairside, appointmentId, 'open'));
  const created = wire.requests() - before;
  const reference = present(shop, payment);
  paymentOf(await capture(node.chairside, payment, reference, 'capture'));
  await node.chairside.settled();
  const captured = wire.requests() - before - created;
  // All reads, and two commits.
  expect(created).toBe(3);
  // All reads; after the reservation, those of the comparison. Two commits. Then the ledger for the
  // release of other payments.
  expect(captured).toBe(5);
});
