import { expect, it } from 'vitest';
import { need, openPhone, openShop, plainApp, presented } from './shop.ts';

const isCapture = (url: string) => url.endsWith('/captured');

it('woocommerce-ios #10647: the answer to the capture is lost, and the merchant taps "Try again"', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const app = plainApp(shop);
  const first = await presented(shop, appointmentId, '1');
  shop.network.loses = isCapture;
  expect((await app.captureContactlessPayment(first)).isErr()).toBe(true);
  // That app began anew: a new payment with a new key.
  const second = await app.createContactlessPayment({ appointmentId, idempotencyKey: 'open 2' });
  expect(second).toMatchObject({ error: { type: 'appointmentAlreadyPaid' } });
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-ios #10647: the capture itself is still under way, and both payments are approved', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const app = plainApp(shop);
  const first = await presented(shop, appointmentId, '1');
  shop.processor.failNext('capturePayment', 'landsLater');
  const error = { type: 'serviceUnavailable', recovery: { outcome: 'unknown' } };
  expect(await app.captureContactlessPayment(first)).toMatchObject({ error });
  const second = await presented(shop, appointmentId, '2');
  const refused = await app.captureContactlessPayment(second);
  const attributes = { reason: 'reservedElsewhere' };
  expect(refused).toMatchObject({ error: { type: 'conflict', attributes } });
  shop.processor.landAbandoned();
  expect(shop.charged()).toEqual(['45.00']);
  expect(need(await app.captureContactlessPayment(first)).state).toBe('captured');
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-ios #13162: the order cannot be read after a lost capture, and the merchant starts again', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const { register, taps } = openPhone(shop);
  let isDown = false;
  shop.network.loses = (url) => {
    isDown ||= isCapture(url);
    return isDown;
  };
  expect(await register.take({ appointmentId })).toMatchObject({ step: 'stuck' });
  shop.network.loses = () => false;
  // The same button: the register asks about the first payment before it would begin a second.
  expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  expect(taps()).toBe(1);
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-ios #13162: another phone starts the new transaction', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const one = openPhone(shop);
  const two = openPhone(shop);
  shop.network.loses = isCapture;
  await one.register.take({ appointmentId });
  shop.network.loses = () => false;
  const taken = await two.register.take({ appointmentId });
  const ended = { step: 'canceled', reason: 'alreadyPaid', charged: 'yes' };
  expect(taken).toMatchObject({ ...ended, paidBy: { amount: '45.00' } });
  expect(two.taps()).toBe(0);
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-ios #13204: while the status is unknown, the screen says that it is unknown', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const { register, shown } = openPhone(shop);
  let isDown = false;
  shop.network.loses = (url) => {
    isDown ||= isCapture(url);
    return isDown;
  };
  const stuck = await register.take({ appointmentId });
  expect(stuck).toMatchObject({ reason: 'noAnswer', charged: 'unknown' });
  expect(stuck.words).toBe(
    'No answer. It is not known whether the card was charged. Do not charge again.',
  );
  expect(new Set(shown.map(({ charged }) => charged))).toEqual(new Set(['unknown']));
  // The merchant acknowledges the error, and collects the same order again.
  shop.network.loses = () => false;
  expect(await register.take({ appointmentId })).toMatchObject({ charged: 'yes', words: 'Paid.' });
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-payments #6203: a fresh payment is captured for an order that is paid', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const app = plainApp(shop);
  const first = await presented(shop, appointmentId, '1');
  const fresh = await presented(shop, appointmentId, '2');
  need(await app.captureContactlessPayment(first));
  const another = await app.createContactlessPayment({ appointmentId, idempotencyKey: 'open 3' });
  expect(another).toMatchObject({ error: { type: 'appointmentAlreadyPaid' } });
  await shop.chairside.settled();
  const error = { type: 'contactlessPaymentCanceled', recovery: { outcome: 'notApplied' } };
  expect(await app.captureContactlessPayment(fresh)).toMatchObject({ error });
  expect(shop.charged()).toEqual(['45.00']);
  // The hold on the card is released.
  expect(shop.processor.entries().map(({ status }) => status)).toEqual(['captured', 'canceled']);
});

it('woocommerce-payments #6670: the four rows of its table, with an order whose status went back', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const app = plainApp(shop);
  const capture = app.captureContactlessPayment;
  const abc = await presented(shop, appointmentId, 'abc');
  const xyz = await presented(shop, appointmentId, 'xyz');
  // No payment yet, then the same payment while it is authorized: allowed.
  shop.processor.failNext('capturePayment', 'refused');
  expect((await capture(abc)).isErr()).toBe(true);
  // Another payment beside it: refused.
  const error = { type: 'conflict', attributes: { reason: 'reservedElsewhere' } };
  expect(await capture(xyz)).toMatchObject({ error });
  need(await capture(abc));
  // The user sets the order back to pending.
  await shop.putAppointment(appointmentId);
  // The same payment again: its response is repeated, and no second capture is sent.
  const sent = shop.captureKeys.length;
  expect(need(await capture(abc)).state).toBe('captured');
  expect(need(await capture({ ...abc, idempotencyKey: 'other' })).state).toBe('captured');
  expect(shop.captureKeys.length).toBe(sent);
  // Another payment: refused still.
  await shop.chairside.settled();
  expect(await capture(xyz)).toMatchObject({ error: { type: 'contactlessPaymentCanceled' } });
  expect(shop.charged()).toEqual(['45.00']);
});
