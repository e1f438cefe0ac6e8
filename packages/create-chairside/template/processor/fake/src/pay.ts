// Plays the barber's app and the customer, while the server runs.
import { randomUUID } from 'node:crypto';
import { createClient } from '@chairside/client';

const url = `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;
const app = createClient({ baseUrl: `${url}/payments`, accessToken: () => 'session-of-ada' });

const appointments: { id: string; price: number; paid: number }[] = await (
  await fetch(`${url}/appointments`)
).json();
const next = appointments.find(({ price, paid }) => paid < price);
if (next === undefined)
  throw new Error('Every appointment is paid. Add one, or delete the database.');

// An app keeps its keys until the payment is settled, so that a repeated call charges once.
const opened = await app.createContactlessPayment({
  appointmentId: next.id,
  idempotencyKey: randomUUID(),
});
if (opened.isErr()) throw new Error(opened.error.title);

// On a phone the SDK of the terminal reads the card. Here the server does.
const tap = await fetch(`${url}/tap`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ clientSecret: opened.value.clientSecret }),
});

const captured = await app.captureContactlessPayment({
  contactlessPaymentId: opened.value.id,
  idempotencyKey: randomUUID(),
  body: { externalPaymentReference: await tap.json() },
});
if (captured.isErr()) throw new Error(captured.error.title);
const { state, amount, card } = captured.value;
console.log(`${next.id}: ${state}, ${amount}, ${card?.network ?? 'card'}`);
