import type { ChargePaymentMethodBody } from '@chairside/core';
import type { CardName } from '@chairside/fake-processor';
import { type Answer, setup } from './answer.ts';
import type { Person } from './people.ts';
import { type ChargeTerms, fresh, givenAppointment } from './shop.ts';
import type { World } from './world.ts';

/** A method that the customer has entered. Returns the id of its setup. */
export async function givenMethod(
  { send, processor }: Pick<World, 'send' | 'processor'>,
  { save = true, card = 'visa_credit' }: { readonly save?: boolean; readonly card?: CardName } = {},
): Promise<string> {
  const body = { savePaymentMethod: save };
  const opened = setup(await send('preparePaymentMethod', 'customer', { body }));
  const completed = processor.completeSetup(opened.clientSecret, card);
  if (completed.isErr()) throw new Error(`the card was not entered: ${completed.error.kind}`);
  return opened.paymentMethodSetupId;
}

export type Asked = Partial<ChargePaymentMethodBody>;

/** A valid body for this method. */
export function chargeBody(
  paymentMethodSetupId: string,
  asked: Asked = {},
): ChargePaymentMethodBody {
  return {
    purpose: 'deposit',
    amount: '20.00',
    paymentMethodSetupId,
    agreedAt: '2026-10-01T09:00:00.000Z',
    agreementRef: 'terms-7',
    ...asked,
  };
}

export function charge(
  { send }: Pick<World, 'send'>,
  appointmentId: string,
  method: string,
  {
    key = fresh('charge'),
    as = 'owner',
    ...asked
  }: Asked & { readonly key?: string; readonly as?: Person } = {},
): Promise<Answer> {
  return send('chargePaymentMethod', as, {
    id: appointmentId,
    key,
    body: chargeBody(method, asked),
  });
}

/** An appointment of the customer with a saved method. */
export async function givenBooking(
  world: World,
  { card, ...terms }: ChargeTerms & { readonly card?: CardName } = {},
): Promise<{ readonly appointmentId: string; readonly method: string }> {
  const method = await givenMethod(world, card === undefined ? {} : { card });
  const appointmentId = await givenAppointment(world, {
    terms: { customerId: 'customer', ...terms },
  });
  return { appointmentId, method };
}
