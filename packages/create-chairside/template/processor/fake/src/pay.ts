// Plays the barber's app and the customer, while the server runs.
import { randomUUID } from 'node:crypto';
import { createClient } from '@chairside/client';

const url = `http://127.0.0.1:${process.env['PORT'] ?? 3100}`;
const app = createClient({ baseUrl: `${url}/payments`, accessToken: () => 'session-of-ada' });

const listed = await fetch(`${url}/appointments`);
const appointments: { id: string; price: number; paid: number }[] = await listed
  .json()
  .catch(() => undefined);
if (!Array.isArray(appointments)) {
  throw new Error(`${url}/appointments is not this shop's list: set PORT to the shop's port.`);
}

/** Opens a payment for the first appointment that is due. */
async function open() {
  for (const { id: appointmentId } of appointments.filter(({ price, paid }) => paid < price)) {
    // An app keeps its keys until the payment is settled, so that a repeated call charges once.
    const opened = await app.createContactlessPayment({
      appointmentId,
      idempotencyKey: randomUUID(),
    });
    if (opened.isOk()) return opened.value;
    // The table learns of a payment a few seconds later.
    if (opened.error.type !== 'appointmentAlreadyPaid') throw new Error(opened.error.title);
  }
  throw new Error('Every appointment is paid. Add one, or delete the database.');
}

const opened = await open();

// On a phone the SDK of the terminal reads the card. Here the server does.
const tap = await fetch(`${url}/tap`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ clientSecret: opened.clientSecret }),
});

const captured = await app.captureContactlessPayment({
  contactlessPaymentId: opened.id,
  idempotencyKey: randomUUID(),
  body: { externalPaymentReference: await tap.json() },
});
if (captured.isErr()) throw new Error(captured.error.title);
const { state, amount, card } = captured.value;
console.log(`${opened.appointment.id}: ${state}, ${amount}, ${card?.network ?? 'card'}`);
