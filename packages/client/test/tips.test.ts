import { describe, expect, it } from 'vitest';
import { createClient, createRegister, type Fetch, type Journal } from '../src/index.ts';
import { refundOperations } from '../src/refunds.ts';
import { ownTip, tipChoices, tipWords } from '../src/tips.ts';
import { baseUrl, errorOf, need, openVisit, type Shop } from './shop.ts';
import { memoryJournal, readerOf } from './till.ts';
import { createVirtualTime } from './virtual-time.ts';

const optionsOf = (fetch: Fetch, token: string) => ({
  baseUrl,
  fetch,
  accessToken: () => token,
  time: createVirtualTime(),
});
const clientOf = (fetch: Fetch) => createClient(optionsOf(fetch, 'ada'));

interface Opened {
  readonly journal?: Journal;
  readonly fetch?: Fetch;
}

function registerOf(shop: Shop, { journal = memoryJournal(), fetch = shop.fetch }: Opened = {}) {
  const { reader } = readerOf(shop, 'visa_credit');
  return createRegister({ client: clientOf(fetch), reader, journal, subject: 'user-ada' });
}

const owner = { subject: 'user-owner', businessIds: ['shop'] };

const amounts = (shop: Shop) =>
  shop.processor
    .entries()
    .filter(({ status }) => status === 'captured')
    .map(({ amountCaptured }) => amountCaptured);

describe('a register of a shop that takes tips', () => {
  it('charges the price and the tip, and counts the price alone towards the due (D48)', async () => {
    const { shop, appointmentId } = await openVisit({ tips: {} });
    const taken = await registerOf(shop).take({ appointmentId, amount: '50.00', tip: '5.00' });
    expect(taken).toMatchObject({ step: 'captured', amount: '50.00', tip: '5.00' });
    expect(amounts(shop)).toEqual(['50.00']);
    const contactlessPaymentId = taken.paymentId ?? '';
    const paid = need(await clientOf(shop.fetch).getContactlessPayment({ contactlessPaymentId }));
    expect(paid).toMatchObject({ amount: '50.00', tip: '5.00' });
    const ledger = need(await shop.chairside.getAppointmentLedger(owner, { appointmentId }));
    expect(ledger).toMatchObject({ captured: '45.00', tip: '5.00' });
  });

  it('keeps the tip in its note, and resumes the payment with it (D48)', async () => {
    const { shop, appointmentId } = await openVisit({ tips: {} });
    const journal = memoryJournal();
    const offline: Fetch = async () => {
      throw new Error('no network');
    };
    const unsent = registerOf(shop, { journal, fetch: offline });
    expect(await unsent.take({ appointmentId, tip: '5.00' })).toMatchObject({
      step: 'stuck',
      reason: 'notStarted',
      tip: '5.00',
    });
    const bodies: unknown[] = [];
    const fetch: Fetch = async (url, init) => {
      if (url.endsWith('/contactlessPayments')) bodies.push(JSON.parse(init.body ?? 'null'));
      return shop.fetch(url, init);
    };
    const restarted = registerOf(shop, { journal, fetch });
    expect(await restarted.unfinished()).toEqual([
      { appointmentId, mayBeCharged: false, tip: '5.00' },
    ]);
    // The barber does not choose the tip again.
    expect(await restarted.take({ appointmentId })).toMatchObject({
      step: 'captured',
      amount: '50.00',
      tip: '5.00',
    });
    expect(bodies).toEqual([{ tip: '5.00' }]);
  });

  it.each([
    { tip: '0.00', amount: undefined, charged: '45.00' },
    { tip: '9.00', amount: '54.00', charged: '54.00' },
  ])('begins another payment for another tip: $tip (D48)', async ({ tip, amount, charged }) => {
    const { shop, appointmentId } = await openVisit({ tips: {} });
    const journal = memoryJournal();
    const { reader } = readerOf(shop, 'declined', 'visa_credit');
    const register = createRegister({
      client: clientOf(shop.fetch),
      reader,
      journal,
      subject: 'user-ada',
    });
    const declined = await register.take({ appointmentId, tip: '5.00' });
    expect(declined).toMatchObject({ step: 'declined', amount: '50.00', tip: '5.00' });
    expect(await register.take({ appointmentId, amount, tip })).toMatchObject({
      step: 'captured',
      amount: charged,
    });
    expect(amounts(shop)).toEqual([charged]);
  });

  it('says that a tip above the bound charged nothing, and why', async () => {
    const { shop, appointmentId } = await openVisit({ tips: { maxShare: 0.1 } });
    const refused = await registerOf(shop).take({ appointmentId, tip: '5.00' });
    expect(refused).toMatchObject({
      step: 'canceled',
      reason: 'refused',
      charged: 'no',
      problem: { type: 'tipTooHigh', attributes: { maximum: '4.50' } },
    });
    expect(amounts(shop)).toEqual([]);
  });

  it('sends no trace of a tip without one', async () => {
    const { shop, appointmentId } = await openVisit();
    const bodies: (string | undefined)[] = [];
    const fetch: Fetch = async (url, init) => {
      bodies.push(init.body);
      return shop.fetch(url, init);
    };
    await registerOf(shop, { fetch }).take({ appointmentId });
    expect(bodies[0]).toBe('{}');
    expect(bodies.join()).not.toContain('tip');
  });
});

describe('a client of a shop that takes tips', () => {
  it('refunds a part of the tip, and lists what is left of it (D48)', async () => {
    const { shop, appointmentId } = await openVisit({ tips: {} });
    const { paymentId: contactlessPaymentId = '' } = await registerOf(shop).take({
      appointmentId,
      tip: '5.00',
    });
    const owner = createClient(optionsOf(shop.fetch, 'owner'), refundOperations);
    const body = { amount: '12.00', tip: '2.00' };
    const refund = need(
      await owner.refundPayment({ contactlessPaymentId, idempotencyKey: 'k', body }),
    );
    expect(refund).toMatchObject({ amount: '12.00', tip: '2.00' });
    const read = { contactlessPaymentId, refundId: refund.id };
    expect(need(await owner.getRefund(read))).toEqual(refund);
    expect(need(await owner.listRefunds({ contactlessPaymentId }))).toMatchObject({
      items: [refund],
      refundable: '38.00',
      refundableTip: '3.00',
    });
    const listed = need(await clientOf(shop.fetch).listContactlessPayments({ appointmentId }));
    expect(listed.items).toMatchObject([{ amount: '50.00', tip: '5.00' }]);
  });

  it('is told how high a tip may be', async () => {
    const { shop, appointmentId } = await openVisit({ tips: { maxMinor: 100n } });
    const client = clientOf(shop.fetch);
    const asked = { appointmentId, idempotencyKey: 'k', body: { tip: '1.01' } };
    const error = errorOf(await client.createContactlessPayment(asked));
    expect(error.type === 'tipTooHigh' && error.attributes).toMatchObject({ maximum: '1.00' });
  });
});

describe('the choices of a tip screen', () => {
  it('have no tip among them, as one of equals', () => {
    expect(tipChoices('45.00')).toEqual([
      { percent: 0, tip: '0.00', total: '45.00' },
      { percent: 10, tip: '4.50', total: '49.50' },
      { percent: 15, tip: '6.75', total: '51.75' },
      { percent: 20, tip: '9.00', total: '54.00' },
    ]);
    expect(tipChoices('0.33', [10])).toMatchObject([{ tip: '0.00' }, { tip: '0.03' }]);
  });

  it('say the amounts in words', () => {
    expect(tipChoices('45.00', [10]).map((choice) => tipWords(choice))).toEqual([
      'No tip, in all 45.00',
      'Tip 4.50, in all 49.50',
    ]);
    expect(tipChoices('45.00', [10]).map((choice) => tipWords(choice, 'EUR'))).toEqual([
      'No tip, in all 45.00 EUR',
      'Tip 4.50 EUR, in all 49.50 EUR',
    ]);
  });

  it.each([
    ['5', '5.00'],
    ['2,5', '2.50'],
    [' 0.05 ', '0.05'],
    ['45.00', '45.00'],
    ['45.01', undefined],
    ['-1', undefined],
    ['1.234', undefined],
    ['five', undefined],
    ['', undefined],
  ])('read the own amount %j as %s', (typed, tip) => {
    expect(ownTip('45.00', typed)?.tip).toBe(tip);
    expect(ownTip('45.00', typed, '4.99')?.tip).toBe(Number(tip) < 5 ? tip : undefined);
  });
});
