import { contactlessPaymentSchema } from '@chairside/core/ports';
import type { StripeCardName } from '@chairside/stripe-stand-in';
import * as v from 'valibot';
import type { Random } from '../fuzz/random.ts';
import type { Client } from './client.ts';

/** The context of a visit to the barber: the phone that sends requests, and the card. */
export interface Chair {
  readonly client: Client;
  readonly random: Pick<Random, 'below' | 'chance'>;
  present(clientSecret: string, card: StripeCardName): Promise<string | undefined>;
}

type Payment = v.InferOutput<typeof contactlessPaymentSchema>;

/** The frequency of disturbances in a hundred visits. */
const shares = { twice: 15, declined: 10, abandoned: 15 };

/** Pays one appointment, with possible disturbances. */
export async function visit(chair: Chair, appointmentId: string): Promise<void> {
  const { random } = chair;
  const drawn = random.below(100);
  if (drawn < shares.twice) return payTwice(chair, appointmentId);
  const isAbandoned = drawn >= 100 - shares.abandoned;
  const payment = await open(chair, appointmentId, 'only', isAbandoned);
  if (payment === undefined) return;
  if (drawn < shares.twice + shares.declined) {
    const declined = await chair.present(payment.clientSecret, 'declined');
    if (declined !== undefined) await capture(chair, payment, declined);
  }
  const reference = await chair.present(payment.clientSecret, 'mastercard_debit');
  if (reference === undefined) return;
  await capture(chair, payment, reference, isAbandoned);
  if (random.chance(0.5)) await giveBack(chair, payment, isAbandoned);
  // A restarted app repeats its request much later.
  if (random.chance(0.3)) await capture(chair, payment, reference);
  if (random.chance(0.3)) await open(chair, appointmentId, 'only');
}

/** Two phones open a payment of the full amount, and capture at the same time. */
async function payTwice(chair: Chair, appointmentId: string): Promise<void> {
  const payments = await Promise.all(
    ['one', 'two'].map((phone) => open(chair, appointmentId, phone)),
  );
  const presented = await Promise.all(
    payments.map(async (payment) => ({
      payment,
      reference: payment && (await chair.present(payment.clientSecret, 'mastercard_debit')),
    })),
  );
  await Promise.all(
    presented.map(({ payment, reference }) => {
      return payment && reference !== undefined ? capture(chair, payment, reference) : undefined;
    }),
  );
}

/** Two desks give parts back at the same time; together they may ask for more than was captured. */
async function giveBack(
  { client, random }: Chair,
  { id, appointment }: Payment,
  givesUp: boolean,
): Promise<void> {
  const ask = (desk: string, amount: string) =>
    client.send(
      {
        operation: 'refund',
        key: `refund ${desk} ${id}`,
        appointmentId: appointment.id,
        paymentId: id,
        amount,
      },
      { givesUp },
    );
  await Promise.all([
    ask('one', '30.00'),
    ...(random.chance(0.5) ? [ask('two', '20.00')] : []),
    ...(random.chance(0.2) ? [ask('one', '30.00')] : []),
  ]);
}

async function open(
  { client, random }: Chair,
  appointmentId: string,
  phone: string,
  givesUp = false,
): Promise<Payment | undefined> {
  const ask = {
    operation: 'create',
    key: `open ${phone} ${appointmentId}`,
    appointmentId,
  } as const;
  const [answer] = await Promise.all([
    client.send(ask, { givesUp }),
    // An impatient client: the same request on another connection.
    ...(random.chance(0.1) ? [client.send(ask, { givesUp })] : []),
  ]);
  if (answer === undefined || answer.status !== 201) return undefined;
  return v.parse(contactlessPaymentSchema, JSON.parse(answer.text));
}

async function capture(
  { client, random }: Chair,
  { id, appointment }: Payment,
  reference: string,
  givesUp = false,
): Promise<void> {
  const ask = {
    operation: 'capture',
    key: `capture ${id}`,
    appointmentId: appointment.id,
    paymentId: id,
    reference,
  } as const;
  await Promise.all([
    client.send(ask, { givesUp }),
    ...(random.chance(0.1) ? [client.send(ask, { givesUp })] : []),
  ]);
}
