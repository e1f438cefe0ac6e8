import { formatMoney } from '@chairside/core';
import { expect, it } from 'vitest';
import { deliverMessages, host } from '../src/elsewhere.ts';
import { givenAppointment, givenCaptured, stored } from '../src/shop.ts';
import { workedExample } from '../src/worked-example.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const minor = (money: string) => BigInt(money.replace('.', ''));
const sum = (amounts: readonly string[]) =>
  formatMoney(amounts.map(minor).reduce((total, amount) => total + amount, 0n));

/** The service's own records of a payment. */
async function ourBooks(world: World, contactlessPaymentId: string): Promise<readonly string[]> {
  const { chairside, store } = world;
  const listed = await chairside.listRefunds(host, { contactlessPaymentId });
  const { captured, refundable, items } = listed._unsafeUnwrap();
  const disputes = (await store.disputes.listByPayment(contactlessPaymentId, 9))._unsafeUnwrap();
  const lost = disputes.filter(({ state }) => state === 'lost');
  const { applicationFeeMinor = 0n } = await stored(world, contactlessPaymentId);
  return [
    captured,
    formatMoney(applicationFeeMinor),
    sum(items.map(({ amount }) => amount)),
    sum(lost.map(({ amountMinor }) => formatMoney(amountMinor))),
    refundable,
  ];
}

/** The processor's ledger of a payment. */
function theirBooks({ processor }: World, paymentId: string): readonly string[] {
  const entry = processor.entries().find((one) => one.paymentId === paymentId);
  const { amountCaptured = '', applicationFee = '0.00', refunds = [], disputes = [] } = entry ?? {};
  const refunded = sum(refunds.map(({ amount }) => amount));
  const lost = sum(disputes.filter(({ state }) => state === 'lost').map(({ amount }) => amount));
  const left = formatMoney(minor(amountCaptured) - minor(refunded) - minor(lost));
  return [amountCaptured, applicationFee, refunded, lost, left];
}

describeEverywhere('the worked example of the guide to refunds', (makeWorld) => {
  it('ends in books that agree to the cent, ours and the processor’s (D46)', async () => {
    const world = await makeWorld();
    const { chairside, processor } = world;
    const put = await chairside.records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
      applicationFee: { fixedMinor: 30n, currency: 'eur', basisPoints: 290 },
      refundPolicy: { returnsFee: false, reversesTransfer: true },
    });
    expect(put.isOk()).toBe(true);
    const payments: { readonly id: string; readonly reference: string }[] = [];
    for (const amountDue of ['45.00', '30.00', '60.00']) {
      const appointmentId = await givenAppointment(world, { amountDue });
      const { payment, reference } = await givenCaptured(world, { appointmentId });
      payments.push({ id: payment.id, reference });
    }
    const [first, second, third] = payments;
    if (!first || !second || !third) throw new Error('there are three payments');

    const refunded = await chairside.refundPayment(host, {
      contactlessPaymentId: first.id,
      idempotencyKey: 'worked-example',
      body: { amount: '10.00' },
    });
    expect(refunded.isOk()).toBe(true);
    expect(processor.refund(second.reference, 1250n).isOk()).toBe(true);
    expect(processor.dispute(third.reference, 6000n).isOk()).toBe(true);
    await deliverMessages(world);
    const dispute = processor.entries().find(({ id }) => id === third.reference)?.disputes?.[0];
    const closed = processor.closeDispute(third.reference, dispute?.id ?? '', 'lost');
    expect(closed.isOk()).toBe(true);
    await deliverMessages(world);

    for (const [index, { id }] of payments.entries()) {
      expect(await ourBooks(world, id)).toEqual(workedExample[index]);
      expect(theirBooks(world, id)).toEqual(workedExample[index]);
    }
    const receipt = await chairside.getReceipt(host, { contactlessPaymentId: first.id });
    expect(receipt._unsafeUnwrap()).toMatchObject({
      amount: '45.00',
      applicationFee: '1.61',
      refunds: [{ amount: '10.00', state: 'succeeded' }],
    });
  });
});
