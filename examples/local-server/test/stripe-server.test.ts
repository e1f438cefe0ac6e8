import { once } from 'node:events';
import { connect } from 'node:net';
import { err, systemClock } from '@chairside/core';
import {
  contactlessPaymentSchema,
  terminalConnectionTokenSchema,
  terminalSchema,
} from '@chairside/core/ports';
import { createStripeStandIn, type StandInAccount } from '@chairside/stripe-stand-in';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { openProcessor } from '../src/processor.ts';
import {
  barber,
  capture,
  createPayment,
  demoSchema,
  openAppointment,
  read,
  readProblem,
  runToEnd,
  send,
  startServer,
} from './server.ts';

// Joined here, so that this file contains no secret.
const secretKey = ['sk', 'test', 'localserver'].join('_');
const liveKey = ['sk', 'live', 'localserver'].join('_');
const webhookSecret = ['whsec', 'localserver_0123456789abcdef'].join('_');

let stripe: Awaited<ReturnType<typeof openStandIn>>;
beforeEach(async () => {
  stripe = await openStandIn();
});
afterEach(() => stripe.close());

/** The stand-in of Stripe's API on a separate port, with the server's environment for it. */
async function openStandIn() {
  const standIn = createStripeStandIn({ clock: systemClock, secretKey, webhookSecret });
  const account: StandInAccount = standIn.addAccount({ currency: 'eur', country: 'DE' });
  const location = standIn.addLocation(account.id);
  const { protocol, host, port, close } = await standIn.listen();
  const env = {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_ACCOUNT: account.id,
    STRIPE_LOCATION: location,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: `${protocol}://${host}:${port}`,
  };
  return { standIn, account, location, env, close };
}

test('with a Stripe key, the server runs on Stripe', async () => {
  const { standIn, account, location, env } = stripe;
  const { url, greeting, signal, ended } = await startServer(env);
  expect(greeting).toContain(
    `The processor is Stripe, in test mode: no money moves. Payments go to ${account.id}, in eur.\n`,
  );

  const phone = { platform: 'ios', deviceIdentifier: 'a phone', deviceModel: 'iPhone14,5' };
  const registered = await send(`${url}/terminals`, { token: barber, body: phone });
  const { id: terminal } = read(registered, 201, terminalSchema);
  const token = await send(`${url}/terminals/${terminal}/connectionTokens`, {
    method: 'POST',
    token: barber,
  });
  expect(read(token, 201, terminalConnectionTokenSchema).clientSecret).toMatch(/^pst_test_/);
  expect(standIn.requests.at(-1)).toMatchObject({ account: account.id, params: { location } });

  const payment = await createPayment(url, await openAppointment(url));
  const reference = standIn.present(payment.clientSecret, 'visa_credit');
  const [event] = standIn.events.slice(-1);
  if (event === undefined) throw new Error('Stripe has nothing to tell');
  const { payload, headers } = standIn.signed(event);
  const notify = (signature = '') =>
    fetch(`${url}/processor/events`, {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body: payload,
    });
  const forged = await notify('t=1,v1=00');
  expect(forged.status).toBe(400);
  expect(await forged.text()).toContain('(invalidSignature)');
  const shown = async () =>
    read(
      await send(`${url}/contactlessPayments/${payment.id}`, { token: barber }),
      200,
      contactlessPaymentSchema,
    );
  expect((await shown()).state).toBe('created');
  expect((await notify(headers['stripe-signature'])).status).toBe(200);
  expect((await shown()).state).toBe('authorized');

  const captured = read(await capture(url, payment.id, reference), 200, contactlessPaymentSchema);
  expect(captured).toMatchObject({ state: 'captured', card: { network: 'network_a' } });
  expect(standIn.intents()).toMatchObject([
    { id: reference, status: 'succeeded', currency: 'eur', amount_received: 4500 },
  ]);

  const { appointments } = read(await send(`${url}/demo`), 200, demoSchema);
  const again = await send(`${url}/appointments/${appointments.paid}/contactlessPayments`, {
    method: 'POST',
    token: barber,
    key: 'again',
  });
  readProblem(again, 409, 'appointmentAlreadyPaid');
  const { clientSecret } = payment;
  const tapped = await send(`${url}/demo/taps`, { body: { clientSecret, card: 'visa_credit' } });
  expect(readProblem(tapped, 404, 'notFound').detail).toContain('The processor is not simulated');
  readProblem(await send(`${url}/demo/processor/${reference}`), 404, 'notFound');

  signal('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const secret of [secretKey, webhookSecret, clientSecret]) {
    expect(stdout).not.toContain(secret);
  }
});

/** Rejected settings: the changed environment or Stripe account, and the printed line. */
const refusals: readonly (readonly [
  what: string,
  env: Readonly<Record<string, string>>,
  change: Partial<StandInAccount>,
  line: string,
])[] = [
  [
    'a live key for another address than Stripe',
    { STRIPE_SECRET_KEY: liveKey, STRIPE_ALLOW_LIVE: 'yes' },
    {},
    'STRIPE_API_BASE is for test keys: a live key may only go to Stripe.',
  ],
  [
    'a value that is not a secret key',
    { STRIPE_SECRET_KEY: 'pk_test_1' },
    {},
    'STRIPE_SECRET_KEY must be a secret or a restricted key: sk_test_… or rk_test_…',
  ],
  [
    'no account',
    { STRIPE_ACCOUNT: '' },
    {},
    'STRIPE_ACCOUNT must name the account that takes the payments: acct_…',
  ],
  [
    'an unknown account',
    { STRIPE_ACCOUNT: 'acct_none' },
    {},
    'acct_none cannot take card payments: the key has no access to it, or the account does not exist.',
  ],
  [
    'an account that cannot take cards, and a location elsewhere',
    { STRIPE_LOCATION: 'tml_elsewhere' },
    { chargesEnabled: false, cardPayments: 'pending' },
    'acct_shop cannot take card payments: Stripe has disabled its payments (requirements.past_due); its capability card_payments is not active; it has no location STRIPE_LOCATION.',
  ],
  [
    'an account whose currency does not have two decimals',
    {},
    { currency: 'jpy' },
    'acct_shop cannot take card payments: its currency does not have two decimals; terminals there accept only eur.',
  ],
  [
    'a key that Stripe rejects',
    { STRIPE_SECRET_KEY: `${secretKey}other` },
    {},
    'acct_shop cannot take card payments: Stripe rejects STRIPE_SECRET_KEY, or the key may not read accounts.',
  ],
];

test.each(refusals)('Stripe is not used with %s', async (_what, env, change, line) => {
  const { standIn, account } = stripe;
  standIn.changeAccount(account.id, change);
  const opened = await readConfig({ ...stripe.env, ...env }).asyncAndThen(openProcessor);
  expect(opened.mapErr((error) => error.replace(account.id, 'acct_shop'))).toEqual(err(line));
});

test('on Stripe, requests from a web page on another domain are rejected', async () => {
  const { url } = await startServer(stripe.env);
  const { hostname, port } = new URL(url);
  const answerFor = async (host: string): Promise<string> => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.write(
      `GET /terminals HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${barber}\r\nConnection: close\r\n\r\n`,
    );
    await once(socket, 'close');
    return answer;
  };
  const refused = await answerFor(`evil.example:${port}`);
  expect(refused).toMatch(/^HTTP\/1\.1 404 /);
  expect(refused).toContain('/problems/notFound"');
  expect(refused).toMatch(/"instance":"http:\/\/[^"]+\/terminals#/);
  expect(await answerFor(`localhost:${port}`)).toMatch(/^HTTP\/1\.1 200 /);
});

test('while Stripe is unavailable, the server prints it once, not for each request', async () => {
  const { url, signal, ended } = await startServer(stripe.env);
  const appointment = await openAppointment(url);
  await stripe.close();
  for (const key of ['one', 'one', 'one']) {
    const path = `${url}/appointments/${appointment}/contactlessPayments`;
    const answer = await send(path, { method: 'POST', token: barber, key });
    expect([409, 503]).toContain(answer.status);
  }
  signal('SIGTERM');
  const { stderr } = await ended;
  const lines = stderr.trim().split('\n');
  expect(lines).toContain('openPayment: unavailable');
  expect(lines).toContain('createContactlessPayment: serviceUnavailable');
  expect(new Set(lines).size).toBe(lines.length);
});

test('the server does not start with a live key, unless it is confirmed', async () => {
  const env = { ...stripe.env, STRIPE_SECRET_KEY: liveKey };
  expect(await runToEnd(env)).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'chairside: STRIPE_SECRET_KEY is a live key, which moves real money; if you mean it, set STRIPE_ALLOW_LIVE=yes as well.\n',
  });
  const { STRIPE_API_BASE: _base, STRIPE_ACCOUNT: _account, ...told } = env;
  // The next missing setting: the key itself was accepted.
  const second = await runToEnd({ ...told, STRIPE_ALLOW_LIVE: 'yes' });
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('STRIPE_ACCOUNT must') });
});

test('the server does not start with an account that cannot take cards', async () => {
  const { standIn, account, env } = stripe;
  standIn.changeAccount(account.id, { cardPayments: 'inactive' });
  expect(await runToEnd(env)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `chairside: ${account.id} cannot take card payments: its capability card_payments is not active.\n`,
  });
});
