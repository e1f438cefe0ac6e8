import type { AuthContext, CloudEvent, ContactlessPayment } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { createManualClock } from '@chairside/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPayments, type Payments } from '../src/payments.ts';
import { type Opened, type World, worlds } from './worlds.ts';

const ada: AuthContext = { subject: 'user-ada', barberId: 'ada' };
const manager: AuthContext = { subject: 'user-marlow', businessIds: ['shop'] };

describe.each(Object.entries(worlds))('%s', (_, newWorld) => {
  // Nodes go by the database server's time, and the processor's messages must be of now.
  const clock = createManualClock(Date.now());
  let processor: ReturnType<typeof createFakeProcessor>;
  let world: World;
  let opened: Opened;
  let payments: Payments;
  /** Each test has an appointment to itself. */
  let appointmentId = '';

  beforeAll(async () => {
    processor = createFakeProcessor({ clock });
    world = await newWorld();
    await start();
    const { putBarber, putBusiness } = payments.chairside.records;
    const processorAccount = { id: 'acct_shop', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
    (await putBusiness(shop))._unsafeUnwrap();
    (await putBarber({ id: 'ada', businessId: 'shop' }))._unsafeUnwrap();
  });
  beforeEach(async () => {
    clock.advance(1000);
    appointmentId = await world.addAppointment(4500);
  });
  afterAll(async () => {
    await stop();
    await world.remove();
  });

  async function start(): Promise<void> {
    opened = await world.open();
    payments = openPayments({ ...opened, processor, clock });
  }

  async function stop(): Promise<void> {
    await payments.chairside.settled();
    await opened.close();
  }

  const paid = () => opened.shop.paidByCardMinor(appointmentId);
  const open = () =>
    payments.chairside.createContactlessPayment(ada, {
      appointmentId,
      idempotencyKey: `open-${clock.now()}`,
    });

  /** Opens a payment, and holds a card to the phone. */
  async function tap() {
    const { id, clientSecret } = (await open())._unsafeUnwrap();
    const presented = processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    const { externalPaymentReference } = presented;
    return { contactlessPaymentId: id, body: { externalPaymentReference } };
  }

  const capture = (tapped: Awaited<ReturnType<typeof tap>>) =>
    payments.chairside.captureContactlessPayment(ada, {
      ...tapped,
      idempotencyKey: `capture-${tapped.contactlessPaymentId}`,
    });

  async function pay(): Promise<ContactlessPayment> {
    return (await capture(await tap()))._unsafeUnwrap();
  }

  async function deliver(handle = payments.handle): Promise<void> {
    (await payments.chairside.events.deliver(handle))._unsafeUnwrap();
  }

  /** The customer's bank sends the payment's refund back. */
  async function returnRefund(paymentId: string): Promise<void> {
    const entry = processor.entries().find((each) => each.paymentId === paymentId);
    const { id = '', refunds: [refund] = [] } = entry ?? {};
    processor.endRefund(id, refund?.id ?? '', 'failed')._unsafeUnwrap();
    for (const message of processor.takeEvents()._unsafeUnwrap()) {
      (await payments.chairside.receiveProcessorEvent(message))._unsafeUnwrap();
    }
  }

  it("collects what the host's table says, and fills the host's table", async () => {
    const { amount, appointment } = await pay();
    expect(amount).toBe('45.00');
    expect(appointment).toMatchObject({
      id: appointmentId,
      occursOn: '2026-12-01T09:00:00.000Z',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    });
    await deliver();
    expect(await paid()).toBe(4500n);
  });

  it('fills the table although the process died right after the capture', async () => {
    await pay();
    await stop();
    await start();
    await deliver();
    expect(await paid()).toBe(4500n);
  });

  it('records once although the process died right after its own commit', async () => {
    await pay();
    await deliver(async (event) => {
      await payments.handle(event);
      if (event.type === 'contactlessPayment.captured') throw new Error('the process dies');
    });
    expect(await paid()).toBe(4500n);
    clock.advance(1000);
    await deliver();
    expect(await paid()).toBe(4500n);
  });

  it('keeps the newer word although an older event arrives after it (D136)', async () => {
    const { id } = await pay();
    const refund = { contactlessPaymentId: id, idempotencyKey: 'refund', body: { amount: '5.00' } };
    (await payments.chairside.refundPayment(manager, refund))._unsafeUnwrap();
    const seen: CloudEvent[] = [];
    const handle = async (event: CloudEvent) => {
      seen.push(event);
      await payments.handle(event);
    };
    await deliver(handle);
    expect(await paid()).toBe(4000n);

    await returnRefund(id);
    await deliver(handle);
    expect(await paid()).toBe(4500n);
    for (const event of seen.toReversed()) await payments.handle(event);
    expect(await paid()).toBe(4500n);
  });

  it('captures no more than a due that fell after the tap', async () => {
    const tapped = await tap();
    expect((await payments.lowerDue(appointmentId, 3000n))._unsafeUnwrap()).toBe(true);
    const problem = (await capture(tapped))._unsafeUnwrapErr();
    expect(problem.attributes).toMatchObject({ reason: 'exceedsRemainingBalance' });
    clock.advance(1);
    expect((await open())._unsafeUnwrap().amount).toBe('30.00');
  });

  it('says that a capture of the earlier due is under way, and takes the difference back', async () => {
    const tapped = await tap();
    const before = processor.count('capturePayment').made;
    processor.failNext('capturePayment', 'slow');
    const capturing = capture(tapped);
    await vi.waitFor(() => expect(processor.count('capturePayment').made).toBe(before + 1));
    expect((await payments.lowerDue(appointmentId, 3000n))._unsafeUnwrap()).toBe(false);

    processor.release();
    const { id } = (await capturing)._unsafeUnwrap();
    expect((await payments.lowerDue(appointmentId, 3000n))._unsafeUnwrap()).toBe(true);
    await deliver();
    expect(await paid()).toBe(4500n);

    const refund = {
      contactlessPaymentId: id,
      idempotencyKey: `difference-${id}`,
      body: { amount: '15.00' },
    };
    (await payments.chairside.refundPayment(manager, refund))._unsafeUnwrap();
    await deliver();
    expect(await paid()).toBe(3000n);
  });

  it("opens no payment while the host's database does not answer", async () => {
    const down = () => Promise.reject(new Error('the database is down'));
    payments = openPayments({
      ...opened,
      shop: { ...opened.shop, appointment: down },
      processor,
      clock,
    });
    const before = processor.entries().length;
    const problem = (await open())._unsafeUnwrapErr();
    expect(problem).toMatchObject({ status: 503, recovery: { outcome: 'notApplied' } });
    expect(processor.entries()).toHaveLength(before);
  });
});
