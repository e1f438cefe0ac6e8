import { describe, expect, it } from 'vitest';
import { createClient, type Fetch } from '../src/index.ts';
import { shareOperations } from '../src/shares.ts';
import { baseUrl, need, openShop } from './shop.ts';
import { memoryJournal, openTill, readerOf } from './till.ts';

const owner = { subject: 'user-owner', businessIds: ['shop'] };

/** A shop that shares payments, with a mother of 45.00 and two children. */
async function openFamily() {
  const shop = await openShop({ shares: true });
  const appointmentId = await shop.putAppointment('mother');
  const alsoPays = [
    { appointmentId: await shop.putAppointment('first child', '20.00', 'ben'), amount: '20.00' },
    { appointmentId: await shop.putAppointment('second child', '20.00'), amount: '20.00' },
  ];
  const left = async (id: string) =>
    need(await shop.chairside.getAppointmentLedger(owner, { appointmentId: id })).captured;
  const charged = () =>
    shop.processor
      .entries()
      .filter(({ status }) => status === 'captured')
      .map(({ amountCaptured }) => amountCaptured);
  return { shop, appointmentId, alsoPays, charged, left };
}

/** Passes requests on, and keeps the text of each create. */
function listening(fetch: Fetch) {
  const sent: (string | undefined)[] = [];
  const heard: Fetch = (url, init) => {
    if (init.method === 'POST' && url.endsWith('/contactlessPayments')) {
      sent.push(
        `${init.headers['idempotency-key'] ?? init.headers['Idempotency-Key']} ${init.body}`,
      );
    }
    return fetch(url, init);
  };
  return { sent, fetch: heard };
}

describe('a register of a shop that shares payments', () => {
  it('pays for three visits with one tap (D208)', async () => {
    const { shop, appointmentId, alsoPays, charged, left } = await openFamily();
    const { register } = openTill(shop);
    const taken = await register.take({ appointmentId, alsoPays });
    expect(taken).toMatchObject({ step: 'captured', amount: '85.00', alsoPays });
    expect(charged()).toEqual(['85.00']);
    expect(await Promise.all(['mother', 'first child', 'second child'].map(left))).toEqual([
      '45.00',
      '20.00',
      '20.00',
    ]);
  });

  it('sends the same request after a kill, byte for byte, and pays for all once', async () => {
    const { shop, appointmentId, alsoPays, charged } = await openFamily();
    const journal = memoryJournal();
    // The service creates the payment, and the app dies before it hears of it.
    const first = listening(async (url, init) => {
      await shop.fetch(url, init);
      return new Promise<never>(() => {});
    });
    const killed = openTill(shop, { journal, fetch: first.fetch });
    void killed.register.take({ appointmentId, alsoPays });
    while (first.sent.length === 0) await new Promise(setImmediate);
    killed.kill();

    const second = listening(shop.fetch);
    const { register } = openTill(shop, { journal, fetch: second.fetch });
    expect(await register.unfinished()).toEqual([{ appointmentId, mayBeCharged: false, alsoPays }]);
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured', alsoPays });
    expect(second.sent).toEqual(first.sent);
    expect(charged()).toEqual(['85.00']);
    expect(shop.processor.entries()).toHaveLength(1);
  });

  it.each([
    ['for other visits', 1, '65.00'],
    ['for no other visit', 0, '45.00'],
  ])('begins another payment %s, and resumes it without a list', async (_, count, amount) => {
    const { shop, appointmentId, alsoPays, charged } = await openFamily();
    const { reader } = readerOf(shop, 'declined', 'declined', 'visa_credit');
    const { register } = openTill(shop, { reader });
    const both = await register.take({ appointmentId, alsoPays });
    expect(both).toMatchObject({ step: 'declined', amount: '85.00', alsoPays });
    const asked = { appointmentId, amount, alsoPays: alsoPays.slice(0, count) };
    expect(await register.take(asked)).toMatchObject({ step: 'declined', amount });
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured', amount });
    expect(charged()).toEqual([amount]);
  });

  it('says "charged" of a visit only for its own part of a payment', async () => {
    const { shop, appointmentId, left } = await openFamily();
    const paid = await openTill(shop).register.take({ appointmentId });
    const client = createClient(
      { baseUrl, fetch: shop.fetch, accessToken: () => 'owner' },
      shareOperations,
    );
    const other = await shop.putAppointment('father');
    const contactlessPaymentId = String(paid.paymentId);
    const moved = async (amount: string, ...own: { appointmentId: string; amount: string }[]) => {
      const body = { shares: [{ appointmentId: other, amount }, ...own] };
      need(await client.sharePayment({ contactlessPaymentId, idempotencyKey: amount, body }));
      return openTill(shop).register.resume(appointmentId);
    };
    const part = await moved('15.00', { appointmentId, amount: '30.00' });
    expect(part).toMatchObject({ charged: 'yes', paidBy: { amount: '30.00' } });
    expect(await moved('45.00')).toMatchObject({ reason: 'ended', charged: 'unknown' });
    expect(await left(appointmentId)).toBe('0.00');
  });

  it('sends no trace of other visits without them', async () => {
    const { shop, appointmentId } = await openFamily();
    const { sent, fetch } = listening(shop.fetch);
    await openTill(shop, { fetch }).register.take({ appointmentId, alsoPays: [] });
    expect(sent).toEqual([expect.stringMatching(/ \{\}$/)]);
  });
});
