import { expect, it } from 'vitest';
import { openPhone, openShop } from './shop.ts';

it('stripe-terminal-android #470: the SDK reports a decline of a payment that was approved', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const { register, shown, taps } = openPhone(shop, 'declined');
  expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  expect(taps()).toBe(1);
  expect(shown.map(({ step }) => step)).not.toContain('declined');
  expect(shop.charged()).toEqual(['45.00']);
});
