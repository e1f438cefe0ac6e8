import { createChairside, type RawEvent } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { givenAppointment } from '../src/shop.ts';

const auth = { subject: 'user-ada', barberId: 'ada' };

/** A payment that was declined, authorized, captured and refunded before any message arrived. */
async function unheard() {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const store = createMapStore();
  const chairside = createChairside({ clock, processor, store, rateLimits: 'off' });
  const processorAccount = { id: 'acct', currency: 'eur' };
  const put = await chairside.records.putBusiness({ id: 'shop', name: 'Shop', processorAccount });
  expect(put.isOk()).toBe(true);
  const appointmentId = await givenAppointment({ chairside }, { id: 'appointment' });
  const opening = { appointmentId, idempotencyKey: 'key' };
  const { id, clientSecret } = (
    await chairside.createContactlessPayment(auth, opening)
  )._unsafeUnwrap();
  for (const card of ['declined', 'visa_credit'] as const) {
    expect(processor.presentCard(clientSecret, card).isOk()).toBe(true);
  }
  const captured = await processor.capturePayment({
    account: 'acct',
    paymentId: id,
    installation: 'chairside',
    begunAt: clock.now(),
    amountMinor: 4500n,
    currency: 'eur',
    idempotencyKey: 'captured-elsewhere',
  });
  const { reference = '' } = captured._unsafeUnwrap();
  expect(processor.refund(reference, 500n).isOk()).toBe(true);
  return { id, chairside, store, messages: processor.takeEvents()._unsafeUnwrap() };
}

/** The final state after a log of messages. */
async function endOf(order: (messages: readonly RawEvent[]) => readonly RawEvent[]) {
  const { id, chairside, store, messages } = await unheard();
  for (const message of order(messages)) {
    expect((await chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
  }
  const told: string[] = [];
  const delivered = await chairside.events.deliver(async ({ type }) => {
    told.push(type.replace('contactlessPayment.', ''));
  });
  expect(delivered.isOk()).toBe(true);
  const payment = (await store.payments.get(id))._unsafeUnwrap();
  const ledger = (await store.ledgers.get('appointment'))._unsafeUnwrap();
  return { state: payment?.state, ledger, told: told.toSorted() };
}

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((one, index) =>
    permutations(of.toSpliced(index, 1)).map((others) => [one, ...others]),
  );
}

it('the messages of the processor lead to one state, in every order and any number', async () => {
  const { messages } = await unheard();
  const orders = permutations([...messages.keys()]);
  expect(orders.length).toBe(120);
  const expected = {
    state: 'captured',
    ledger: {
      appointmentId: 'appointment',
      capturedMinor: 4500n,
      reservedMinor: 0n,
      openPayments: 0,
      currency: 'eur',
    },
    told: ['authorized', 'captured', 'created', 'refunded'],
  };
  for (const order of orders) {
    const pick = (log: readonly RawEvent[]) => order.flatMap((index) => log[index] ?? []);
    expect(await endOf(pick)).toEqual(expected);
    // Each of them twice, the second time after all others.
    expect(await endOf((log) => [...pick(log), ...log])).toEqual(expected);
  }
  console.log(`${2 * orders.length} logs`);
}, 60_000);
