import { randomUUID } from 'node:crypto';
import {
  type Chairside,
  formatTimestamp,
  ok,
  type Problem,
  safeTry,
  systemClock,
} from '@chairside/core';
import { type FakeProcessor, isCardName } from '@chairside/fake-processor';
import type { ChairsideHandler } from '@chairside/h3';
import { maxBodyLength } from '@chairside/h3';
import { appointmentOfAda, people } from '../demo-data.ts';
import { readStart } from '../read-json.ts';
import { type Assets, bundleAssets } from './assets.ts';
import { contentSecurityPolicy, textPage } from './page.ts';

// A page where a customer books with a card and does not come, and the shop charges the card (D49).

/** A booking with a saved card, as this host remembers it until it ends. */
interface Booking {
  readonly appointmentId: string;
  readonly setupId: string;
  readonly card: string;
  readonly agreedAt: string;
  readonly isMissed: boolean;
  /** The last response, in words. */
  readonly said: string;
}

const price = '45.00';
const deposit = '20.00';
const fee = '15.00';
const cards = [
  'visa_credit',
  'needs_customer',
  'declined_when_saved',
  'unusable_when_saved',
  'vanishes',
] as const;
const maxBookings = 20;
const agreementRef = 'demo-2026-11';
const minor = (amount: string) => BigInt(amount.replace('.', ''));

/** Adds the page. Its forms act as the customer, and as the owner of the shop. */
export function addMissedVisits(
  app: ChairsideHandler,
  chairside: Chairside,
  simulated: FakeProcessor,
): void {
  const bookings = new Map<string, Booking>();
  let bundled: Promise<Assets> | undefined;

  app.on('GET', '/missed-visits', async () => {
    bundled ??= bundleAssets();
    const shown = await Promise.all([...bookings.values()].map((one) => viewOf(chairside, one)));
    const body = `${form}${shown.join('')}`;
    return new Response(textPage('Missed visits', await bundled, '', body), { headers });
  });

  app.on('POST', '/missed-visits/:act', async ({ req, url }) => {
    const body = await readStart(req);
    if (body.length > maxBodyLength) return new Response(null, { status: 413, headers });
    const given = new URLSearchParams(body.toString());
    const act = url.pathname.split('/').at(-1) ?? '';
    const booking = bookings.get(given.get('booking') ?? '');
    const done =
      act === 'book'
        ? await book(chairside, simulated, given.get('card') ?? '')
        : booking && (await change(chairside, booking, act));
    const [oldest] = bookings.keys();
    if (act === 'book' && bookings.size >= maxBookings && oldest) bookings.delete(oldest);
    if (done !== undefined) bookings.set(done.appointmentId, done);
    return new Response(null, {
      status: 303,
      headers: { ...headers, location: '../missed-visits' },
    });
  });
}

/** The customer saves a card and agrees; the host books. */
function book(
  { records, preparePaymentMethod }: Chairside,
  simulated: FakeProcessor,
  card: string,
): Promise<Booking | undefined> {
  const booked = safeTry<Booking, unknown>(async function* () {
    const customer = people.customer.auth;
    const prepared = yield* await preparePaymentMethod(customer, {
      idempotencyKey: randomUUID(),
      body: { savePaymentMethod: true },
    });
    yield* simulated.completeSetup(prepared.clientSecret, isCardName(card) ? card : cards[0]);
    const appointmentId = `appointment_${randomUUID()}`;
    yield* await records.putAppointment(appointmentOf(appointmentId, false));
    return ok({
      appointmentId,
      setupId: prepared.paymentMethodSetupId,
      card,
      agreedAt: formatTimestamp(systemClock.now()),
      isMissed: false,
      said: 'Booked.',
    });
  });
  return booked.unwrapOr(undefined);
}

function appointmentOf(id: string, isMissed: boolean) {
  const details = { id, amountDueMinor: minor(price), occursOn: '2026-12-01T09:00:00.000Z' };
  const terms = {
    customerId: people.customer.auth.customerId,
    noShowFeeMinor: minor(fee),
    isMissed,
  };
  return { ...appointmentOfAda(details), ...terms };
}

async function change(
  { records, chargePaymentMethod, releasePaymentMethod }: Chairside,
  booking: Booking,
  act: string,
): Promise<Booking> {
  const { appointmentId, setupId, agreedAt } = booking;
  const said = (words: string) => ({ ...booking, said: words });
  const refusedAs = ({ detail = '', attributes }: Problem) =>
    said(`${detail} (${attributes?.reason ?? 'problem'})`);
  switch (act) {
    case 'miss': {
      const put = await records.putAppointment(appointmentOf(appointmentId, true));
      return put.match(
        () => ({ ...said('The customer did not come.'), isMissed: true }),
        refusedAs,
      );
    }
    case 'withdraw': {
      const input = { paymentMethodSetupId: setupId };
      const released = await releasePaymentMethod(people.customer.auth, input);
      return released.match(() => said('The card is withdrawn.'), refusedAs);
    }
    case 'deposit':
    case 'noShow': {
      const charged = await chargePaymentMethod(people.business.auth, {
        appointmentId,
        // The same button again is the same charge.
        idempotencyKey: `${appointmentId} ${act}`,
        body: {
          purpose: act,
          amount: act === 'deposit' ? deposit : fee,
          paymentMethodSetupId: setupId,
          agreedAt,
          agreementRef,
        },
      });
      return charged.match(({ amount }) => said(`Charged ${amount}.`), refusedAs);
    }
    default:
      return booking;
  }
}

/** The shop's terms, which the page shows before the card. They are the host's duty. */
const terms = `When you book, Marlow &amp; Sons charges ${deposit} EUR to this card, as a part of the price. If you do not come,
  it charges ${fee} EUR, once. You allow this while you are not present, until you withdraw the card here.`;

const button = (act: string, words: string, booking = '') =>
  `<form method="post" action="missed-visits/${act}"><input type="hidden" name="booking" value="${booking}"><button data-act="${act}">${words}</button></form>`;

const form = `
  <h1>Missed visits</h1>
  <form method="post" action="missed-visits/book">
    <p id="terms">${terms}</p>
    <label>Card <select name="card">${cards.map((card) => `<option>${card}</option>`).join('')}</select></label>
    <button data-act="book" aria-describedby="terms">Agree and book a cut for ${price}</button>
  </form>`;

async function viewOf(chairside: Chairside, booking: Booking): Promise<string> {
  const { appointmentId, card, isMissed, said } = booking;
  const listed = await chairside.listCharges(people.business.auth, { appointmentId });
  const { items } = listed.unwrapOr({ items: [] });
  const rows = items.map(
    ({ purpose, amount, state, refusal = '' }) =>
      `<tr><td>${purpose}</td><td>${amount}</td><td data-state="${state}">${state} ${refusal}</td></tr>`,
  );
  return `
  <section class="booking">
    <h2>A cut for ${price}, card ${card}${isMissed ? ', missed' : ''}</h2>
    <p class="said" role="status">${said}</p>
    ${button('deposit', `Charge the deposit of ${deposit}`, appointmentId)}
    ${button('miss', 'The customer did not come', appointmentId)}
    ${button('noShow', `Charge the fee of ${fee}`, appointmentId)}
    ${button('withdraw', 'Withdraw the card, as the customer', appointmentId)}
    <table><thead><tr><th>Charge</th><th>Amount</th><th>State</th></tr></thead><tbody>${rows.join('')}</tbody></table>
  </section>`;
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy.replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
  'content-type': 'text/html; charset=utf-8',
  // A form sends its origin only with a referrer.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;
