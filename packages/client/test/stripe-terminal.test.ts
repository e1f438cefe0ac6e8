import { describe, expect, it } from 'vitest';
import { need, openShop } from './shop.ts';
import { startPhone } from './stripe-phone.ts';
import { memoryJournal } from './till.ts';

describe("Stripe's SDK", () => {
  it('registers the phone, connects at its location and takes a payment', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    const phone = startPhone(shop);
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen).toMatchObject({ locations: ['loc_shop'], initialized: 1, processed: 1 });
  });

  it('finds its own terminal after a restart, and connects again after a disconnection', async () => {
    const shop = await openShop();
    const first = startPhone(shop);
    expect(await first.register.wake()).toBe(true);
    const second = startPhone(shop);
    expect(await second.register.wake()).toBe(true);
    expect(second.terminal.terminal()?.id).toBe(first.terminal.terminal()?.id);
    second.disconnect();
    expect(await second.register.wake()).toBe(true);
    expect(second.seen.locations).toHaveLength(2);
  });

  it('keeps the problem that the SDK drops', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    const phone = startPhone(shop);
    shop.processor.rejectLocation('loc_shop');
    const taken = await phone.register.take({ appointmentId });
    expect(taken).toMatchObject({ step: 'stuck', reason: 'reader', charged: 'no' });
    expect(phone.terminal.lastProblem()).toMatchObject({ type: 'unprocessableEntity' });
    expect(taken.readerSaid).toBe('The processor rejected the terminal or its location.');
  });

  it('shows the name of the shop, and the simulated reader, if they are given', async () => {
    const shop = await openShop();
    const reader = { merchantDisplayName: 'Marlow & Sons', simulated: true };
    const phone = startPhone(shop, { reader });
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.connections).toEqual([
      {
        discoveryMethod: 'tapToPay',
        locationId: 'loc_shop',
        autoReconnectOnUnexpectedDisconnect: true,
        ...reader,
      },
    ]);
    const plain = startPhone(shop);
    expect(await plain.register.wake()).toBe(true);
    expect(plain.seen.connections[0]).not.toHaveProperty('merchantDisplayName');
    expect(plain.seen.connections[0]).not.toHaveProperty('simulated');
  });

  it('has no problem of the service once the phone has found its terminal', async () => {
    const shop = await openShop();
    expect(await startPhone(shop).register.wake()).toBe(true);
    const connectionError = 'Location services are off.';
    const { terminal } = startPhone(shop, { connectionError });
    const { signal } = new AbortController();
    expect(await terminal.ready(signal)).toEqual({ failed: connectionError });
    expect(terminal.lastProblem()).toBeUndefined();
  });

  it('has no problem of a token once the next one was made', async () => {
    const shop = await openShop();
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    shop.banned.add('ada');
    await expect(phone.terminal.tokenProvider()).rejects.toThrow();
    expect(phone.terminal.lastProblem()).toMatchObject({ type: 'unauthorized' });
    shop.banned.clear();
    await phone.terminal.tokenProvider();
    expect(phone.terminal.lastProblem()).toBeUndefined();
  });

  it('connects without a restart once the shop has a location', async () => {
    const shop = await openShop();
    const business = { id: 'shop', name: 'Marlow & Sons' };
    const account = { id: 'acct_shop', currency: 'eur' };
    need(await shop.chairside.records.putBusiness({ ...business, processorAccount: account }));
    const { terminal } = startPhone(shop);
    const { signal } = new AbortController();
    expect(await terminal.ready(signal)).toEqual({
      failed: 'The shop has no terminal location.',
    });
    const processorAccount = { ...account, terminalLocation: 'loc_shop' };
    need(await shop.chairside.records.putBusiness({ ...business, processorAccount }));
    expect(await terminal.ready(signal)).toBeUndefined();
  });

  it('initializes the SDK again after its provider was mounted again', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    phone.remount();
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen.initialized).toBe(2);
  });

  it.each(['declinesApproved', 'losesApproved', 'throws'] as const)(
    'charges once, with one card, if the SDK %s',
    async (fault) => {
      const shop = await openShop();
      const appointmentId = await shop.putAppointment('a-1');
      const phone = startPhone(shop, { faults: [fault] });
      expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
      expect(phone.seen.processed).toBe(1);
    },
  );

  it('asks for the card again when none was presented, and never twice at a time', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    const phone = startPhone(shop, { faults: ['waits', 'waits'] });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen).toMatchObject({ processed: 3, overlaps: 0 });
  });

  it('waits for the end of a canceled collect, and charges a card that was approved meanwhile', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    const phone = startPhone(shop, { faults: ['approvesLate'] });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen).toMatchObject({ processed: 1, overlaps: 0 });
  });

  it('begins no second collect beside one that hangs, until the app is restarted', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    const journal = memoryJournal();
    const phone = startPhone(shop, { faults: ['hangs'], journal });
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await phone.register.take({ appointmentId })).toMatchObject({ reason: 'readerBusy' });
    }
    expect(phone.seen).toMatchObject({ processed: 1, overlaps: 0 });
    const restarted = startPhone(shop, { journal });
    expect(await restarted.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  });
});
