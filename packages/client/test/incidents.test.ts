import { readFileSync } from 'node:fs';
import type { AuthContext } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import {
  type Client,
  createClient,
  createRegister,
  type Fetch,
  type Taking,
} from '../src/index.ts';
import { refundOperations } from '../src/refunds.ts';
import { baseUrl, need, openVisit } from './shop.ts';
import { memoryJournal, readerThat } from './till.ts';

// Double charges and lost payments that users of other systems reported, in the reporters' order. The page has a row
// for each: docs/guide/concepts.md.

const host: AuthContext = { subject: 'host', systemAdministrator: true };
const isCapture = (url: string) => url.endsWith('/captured');

/** A shop whose network loses responses, and a processor whose requests are watched. */
async function openWatchedVisit() {
  /** The keys of the capture requests that were sent to the processor. */
  const captureKeys: (string | undefined)[] = [];
  const { shop, appointmentId } = await openVisit({
    processor: {
      async delay({ name, idempotencyKey }, way) {
        if (name === 'capturePayment' && way === 'request') captureKeys.push(idempotencyKey);
      },
    },
  });
  const { chairside, processor } = shop;
  /** Says which responses are lost. The service has handled those requests. */
  const network = { loses: (_url: string): boolean => false };
  const fetch: Fetch = async (url, init) => {
    const response = await shop.fetch(url, init);
    if (network.loses(url)) throw new TypeError('Network request failed');
    return response;
  };
  const watched = {
    ...shop,
    fetch,
    network,
    captureKeys,
    /** The types of the events that the host received. */
    async told(): Promise<string[]> {
      const types: string[] = [];
      need(await chairside.events.deliver(async ({ type }) => void types.push(type)));
      return types.map((type) => type.replace('contactlessPayment.', ''));
    },
    /** The amounts that the processor has captured. */
    charged: () =>
      processor
        .entries()
        .map(({ amountCaptured }) => amountCaptured)
        .filter((amount) => amount !== '0.00'),
  };
  return { shop: watched, appointmentId };
}

type Shop = Awaited<ReturnType<typeof openWatchedVisit>>['shop'];

/** Sends each request once, as the reporters' apps did. */
function plainApp({ fetch }: Shop): Client {
  return createClient({ baseUrl, accessToken: () => 'ada', fetch, maxAttempts: 1 });
}

/** Opens a payment of the appointment, and has a card presented. Returns the capture's input. */
async function presented(shop: Shop, appointmentId: string, key: string) {
  const idempotencyKey = `open ${key}`;
  const opened = need(
    await plainApp(shop).createContactlessPayment({ appointmentId, idempotencyKey }),
  );
  const tapped = need(shop.processor.presentCard(opened.clientSecret, 'visa_credit'));
  return {
    contactlessPaymentId: opened.id,
    idempotencyKey: `capture ${key}`,
    body: { externalPaymentReference: tapped.externalPaymentReference },
  };
}

/**
 * A phone with the register. The barber stops waiting at the first response that does not come.
 * @param says what the reader's SDK says of each card, which was approved.
 */
function openPhone(shop: Shop, says: 'approved' | 'declined' = 'approved') {
  const shown: Taking[] = [];
  const taps: string[] = [];
  const register = createRegister({
    client: createClient({
      baseUrl,
      accessToken: () => 'ada',
      fetch: shop.fetch,
      onAttempt: () => setImmediate(register.stop),
    }),
    subject: 'user-ada',
    journal: memoryJournal(),
    reader: readerThat(async (clientSecret) => {
      taps.push(clientSecret);
      need(shop.processor.presentCard(clientSecret, 'visa_credit'));
      return says;
    }),
  });
  register.subscribe(() => shown.push(register.getSnapshot()));
  return { register, shown, taps };
}

/**
 * Calls the webhook with each message. No call goes on until all have read the processor. Then every call
 * goes on, and so does a capture that waits for its reply.
 */
async function deliverAtOnce({ processor, chairside }: Shop, messages: readonly RawEvent[]) {
  const before = processor.count('readPayment').made;
  processor.failNext('readPayment', 'slowReply', messages.length);
  const received = Promise.all(messages.map((message) => chairside.receiveProcessorEvent(message)));
  while (processor.count('readPayment').made < before + messages.length) {
    await new Promise(setImmediate);
  }
  processor.release();
  return { areAccepted: received.then((all) => all.every((one) => one.isOk())) };
}

it('woocommerce-ios #10647: the answer to the capture is lost, and the merchant taps "Try again"', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
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
  const { shop, appointmentId } = await openWatchedVisit();
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
  const { shop, appointmentId } = await openWatchedVisit();
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
  expect(taps).toHaveLength(1);
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-ios #13162: another phone starts the new transaction', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const one = openPhone(shop);
  const two = openPhone(shop);
  shop.network.loses = isCapture;
  await one.register.take({ appointmentId });
  shop.network.loses = () => false;
  const taken = await two.register.take({ appointmentId });
  const ended = { step: 'canceled', reason: 'alreadyPaid', charged: 'yes' };
  expect(taken).toMatchObject({ ...ended, paidBy: { amount: '45.00' } });
  expect(two.taps).toEqual([]);
  expect(shop.charged()).toEqual(['45.00']);
});

it('woocommerce-ios #13204: while the status is unknown, the screen says that it is unknown', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
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
  const { shop, appointmentId } = await openWatchedVisit();
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
  const { shop, appointmentId } = await openWatchedVisit();
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

it('stripe-terminal-android #470: the SDK reports a decline of a payment that was approved', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const { register, shown, taps } = openPhone(shop, 'declined');
  expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  expect(taps).toHaveLength(1);
  expect(shown.map(({ step }) => step)).not.toContain('declined');
  expect(shop.charged()).toEqual(['45.00']);
});

it('medusa #16292: a capture is tried again after the provider failed', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const app = plainApp(shop);
  const first = await presented(shop, appointmentId, '1');
  // The provider processes the request, and the response does not arrive.
  shop.processor.failNext('capturePayment', 'landsLater');
  expect((await app.captureContactlessPayment(first)).isErr()).toBe(true);
  // The caller tries again with a key of its own.
  need(await app.captureContactlessPayment({ ...first, idempotencyKey: 'retry' }));
  shop.processor.landAbandoned();
  const [one, two, ...more] = shop.captureKeys;
  expect(one).toBeDefined();
  expect(two).toBe(one);
  expect(more).toEqual([]);
  expect(shop.processor.count('capturePayment')).toEqual({ made: 2, applied: 1 });
  expect(shop.charged()).toEqual(['45.00']);
});

it('medusa #13301: the client and the webhook settle one payment at once', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const app = plainApp(shop);
  const payment = await presented(shop, appointmentId, '1');
  // The payment is captured, and its message arrives before the client's own reply.
  shop.processor.failNext('capturePayment', 'slowReply');
  const capturing = app.captureContactlessPayment(payment);
  while (shop.charged().length === 0) await new Promise(setImmediate);
  const messages = need(shop.processor.takeEvents());
  const webhook = await deliverAtOnce(shop, messages);
  expect(need(await capturing).state).toBe('captured');
  expect(await webhook.areAccepted).toBe(true);
  expect(shop.captureKeys).toHaveLength(1);
  // The payment is listed, and the host receives each event once.
  const listed = need(await app.listContactlessPayments({ appointmentId }));
  expect(listed.items.map(({ state }) => state)).toEqual(['captured']);
  expect(await shop.told()).toEqual(['created', 'authorized', 'captured']);
  const ledger = need(await shop.chairside.getAppointmentLedger(host, { appointmentId }));
  expect(ledger).toMatchObject({ captured: '45.00', reserved: '0.00' });
});

it('pinelab-vendure-plugins #620: the webhook is called three times at once', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const payment = await presented(shop, appointmentId, '1');
  // The payment succeeds at the processor, and the webhook is the first to say so.
  shop.processor.failNext('capturePayment', 'landsLater');
  const capturing = await plainApp(shop).captureContactlessPayment(payment);
  expect(capturing).toMatchObject({ error: { recovery: { outcome: 'unknown' } } });
  expect(shop.processor.landAbandoned()).toBe(1);
  const settled = need(shop.processor.takeEvents()).slice(-1);
  const calls = settled.flatMap((message) => [message, message, message]);
  expect(await (await deliverAtOnce(shop, calls)).areAccepted).toBe(true);
  expect(await shop.told()).toEqual(['created', 'authorized', 'captured']);
  const ledger = need(await shop.chairside.getAppointmentLedger(host, { appointmentId }));
  expect(ledger).toMatchObject({ captured: '45.00', reserved: '0.00' });
});

it('stripe/sync-engine #268: two events of one second, of which the second is the newer state', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const payment = await presented(shop, appointmentId, '1');
  need(await plainApp(shop).captureContactlessPayment(payment));
  const { processor } = shop;
  const { id: reference } = payment.body.externalPaymentReference;
  need(processor.takeEvents());
  const states = async () => {
    const listed = await Promise.all(
      (['open', 'won', 'lost'] as const).map((state) => shop.chairside.listDisputes({ state })),
    );
    return listed.flatMap((disputes) => need(disputes).map(({ state }) => state));
  };
  // The clock stands still, so both events bear one time.
  const { subject = '' } = need(processor.dispute(reference, 4500n));
  const [opened] = need(processor.takeEvents());
  if (opened === undefined) throw new Error('no event');
  need(await shop.chairside.receiveProcessorEvent(opened));
  expect(await states()).toEqual(['open']);
  need(processor.closeDispute(reference, subject, 'won'));
  const [closed] = need(processor.takeEvents());
  if (closed === undefined) throw new Error('no event');
  need(await shop.chairside.receiveProcessorEvent(closed));
  expect(await states()).toEqual(['won']);
  // The older event comes once more, with an id that was not seen.
  const repeated = processor.signEvent(opened.payload.replace(/"id":"([^"]+)"/, '"id":"$1x"'));
  need(await shop.chairside.receiveProcessorEvent(repeated));
  expect(await states()).toEqual(['won']);
});

it('saleor/apps #2446: the same refund is asked for again, at once, and after a lost reply', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const { contactlessPaymentId, ...capture } = await presented(shop, appointmentId, '1');
  need(await plainApp(shop).captureContactlessPayment({ contactlessPaymentId, ...capture }));
  const { fetch } = shop;
  const asOwner = { baseUrl, accessToken: () => 'owner', fetch, maxAttempts: 1 };
  const { refundPayment } = createClient(asOwner, refundOperations);
  const one = { contactlessPaymentId, idempotencyKey: 'one', body: { amount: '10.00' } };
  // The refund succeeds, and no reply arrives: from the processor first, then from the service.
  shop.processor.failNext('refund', 'lostReply');
  shop.network.loses = () => true;
  expect((await refundPayment(one)).isErr()).toBe(true);
  shop.network.loses = () => false;
  const again = await Promise.all([refundPayment(one), refundPayment(one)]);
  const made = need(await refundPayment(one));
  for (const repeated of again) if (repeated.isOk()) expect(repeated.value.id).toBe(made.id);
  expect(shop.processor.count('refund').applied).toBe(1);
  // Another refund of the same amount is another one.
  const two = need(await refundPayment({ ...one, idempotencyKey: 'two' }));
  expect(two.id).not.toBe(made.id);
  expect(shop.processor.count('refund').applied).toBe(2);
});

it('odoo #261521: the card is authorized, and the capture after it fails', async () => {
  const { shop, appointmentId } = await openWatchedVisit();
  const { register, shown, taps } = openPhone(shop);
  // The server does not reach the processor.
  shop.processor.failNext('capturePayment', 'refused');
  const stuck = await register.take({ appointmentId });
  expect(stuck.charged).not.toBe('yes');
  expect(shown.map(({ step }) => step)).not.toContain('captured');
  expect(shop.charged()).toEqual([]);
  const ledger = need(await shop.chairside.getAppointmentLedger(host, { appointmentId }));
  expect(ledger).toMatchObject({ captured: '0.00' });
  // The same button captures the card that was presented.
  expect(await register.take({ appointmentId })).toMatchObject({ charged: 'yes' });
  expect(taps).toHaveLength(1);
  expect(shop.charged()).toEqual(['45.00']);
});

it('has a row on the page for each thread that is played here', () => {
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  const played = [...source.matchAll(/^it\('(\S+ #\d+): /gm)].map(([, thread]) => thread);
  const page = new URL('../../../docs/guide/concepts.md', import.meta.url);
  const rows = [...readFileSync(page, 'utf8').matchAll(/^\| (\S+ #\d+) /gm)];
  expect(rows.length).toBe(12);
  expect(rows.map(([, thread]) => thread)).toEqual([...new Set(played)]);
});
