import { okAsync, receiptToText } from '@chairside/core';
import type { ReceiptDetails } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { problem, receipt as receiptOf } from '../src/answer.ts';
import { host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const read = async ({ send }: World, id: string, as: 'ada' | 'owner' = 'ada') =>
  receiptOf(await send('getReceipt', as, { id }));

describeEverywhere('getReceipt (D203)', (makeWorld) => {
  it('shows the barber and the owner what the card schemes require', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const shown = await read(world, payment.id);
    expect(shown).toMatchObject({
      contactlessPaymentId: payment.id,
      shopName: 'Marlow & Sons',
      locationName: 'Old Town',
      amount: '45.00',
      currency: 'eur',
      capturedAt: payment.capturedAt,
      refunds: [],
      card: payment.card,
      applicationIdentifier: expect.stringMatching(/^A0{6}/i),
      applicationPreferredName: expect.any(String),
      accountType: expect.any(String),
      authorizationCode: expect.any(String),
      applicationCryptogram: expect.stringMatching(/^[0-9A-F]{16}$/),
      terminalVerificationResults: expect.stringMatching(/^[0-9A-F]{10}$/),
      transactionStatusInformation: expect.stringMatching(/^[0-9A-F]{4}$/),
      cardholderVerification: expect.any(String),
    });
    expect(shown).not.toHaveProperty('tip');
    expect(await read(world, payment.id, 'owner')).toEqual(shown);
  });

  it('shows a part that was given back, and what is left', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    await world.send('refundPayment', 'owner', {
      id: payment.id,
      key: fresh('refund'),
      body: { amount: '10.00' },
    });
    const shown = await read(world, payment.id);
    expect(shown.refunds).toMatchObject([{ amount: '10.00' }]);
    expect(receiptToText(shown)).toMatch(/^Left after refunds +35\.00 EUR$/m);
  });

  it.each(['readPayment', 'readReceipt'] as const)(
    'shows what is stored where the account is gone: %s',
    async (call) => {
      const world = await makeWorld();
      const { payment } = await givenCaptured(world);
      world.processor.failNext(call, 'notSetUp');
      const shown = await read(world, payment.id);
      expect(shown).toMatchObject({ amount: '45.00', card: payment.card, refunds: [] });
      expect(shown).not.toHaveProperty('authorizationCode');
    },
  );

  it('asks to repeat while the processor does not answer', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.failNext('readReceipt', 'refused');
    const answer = await world.send('getReceipt', 'ada', { id: payment.id });
    problem(answer, 'serviceUnavailable');
  });

  it('leaves out members that an adapter gives as null, empty or unknown', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const odd: Readonly<Record<string, unknown>> = {
      authorizationCode: null,
      accountType: '',
      applicationPreferredName: 'x\u0000'.repeat(400),
      cardholderVerification: 'iris',
      newMember: 'x',
    };
    // cast: an adapter without types may give anything
    const details = odd as ReceiptDetails;
    const chairside = withProcessor(world, { readReceipt: () => okAsync(details) });
    const shown = await chairside.getReceipt(host, { contactlessPaymentId: payment.id });
    const { applicationPreferredName = '', ...rest } = shown._unsafeUnwrap();
    expect(applicationPreferredName).toMatch(/^(?:x\ufffd)+x$/);
    expect(applicationPreferredName).toHaveLength(255);
    for (const name of Object.keys(odd)) expect(rest).not.toHaveProperty(name);
  });
});
