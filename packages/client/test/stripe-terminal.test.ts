import { describe, expect, it } from 'vitest';
import { openShop } from './shop.ts';
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
