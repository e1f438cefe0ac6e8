import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthContext,
  type Chairside,
  createChairside,
  type Observation,
} from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { type CardName, createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { openSqliteStore } from '@chairside/sqlite';
import { createManualClock } from '@chairside/testkit';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { people } from '../src/people.ts';

const accessToken = 'canary-access-token-7f3a';
const wrongToken = 'canary-wrong-token-91bc';
const cardNumber = '4242424242424242';

/** Secrets in places where they must not be: each place, in words. */
function sightings(secrets: readonly string[], places: Readonly<Record<string, string>>): string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${place}`),
  );
}

it('secrets stay where they belong', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-canary-'));
  const logged: unknown[] = [];
  const opened = openSqliteStore(join(folder, 'chairside.db'), {
    onError: (error) => logged.push(String(error)),
  });
  const store = opened._unsafeUnwrap();
  const clock = createManualClock();
  const fake = createFakeProcessor({ clock });
  const observations: Observation[] = [];
  const options = { store, clock, rateLimits: 'off' } as const;
  const chairside = createChairside({
    ...options,
    processor: careless(fake),
    observe: (seen) => observations.push(seen),
  });
  await seed(chairside);
  const app = chairsideHandler(chairside, {
    authenticate: (token): AuthContext | undefined =>
      ({ [accessToken]: people.ada, 'customer-token': people.customer })[token],
    problemBase: 'https://shop.example',
    onFailure: (thrown) => logged.push(String(thrown)),
  });
  const server = createNodeServer(app);
  const { url } = await server.listen(0);

  const successes: Record<string, unknown>[] = [];
  const problems: string[] = [];
  async function send(path: string, body?: unknown, token = accessToken): Promise<string> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': `key ${path} ${problems.length + successes.length}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) problems.push(`${text} ${JSON.stringify([...response.headers])}`);
    else successes.push(JSON.parse(text));
    return text;
  }
  const secretOf = (text: string) => String(JSON.parse(text).clientSecret);
  const idOf = (text: string) => String(JSON.parse(text).id);
  const external = (id: string) => ({
    externalPaymentReference: { id, paymentProcessor: 'processor_a' },
  });

  // A full payment.
  const device = { platform: 'ios', deviceIdentifier: 'phone' };
  const terminal = idOf(await send('/terminals', device));
  const connectionToken = secretOf(await send(`/terminals/${terminal}/connectionTokens`));
  const create = '/appointments/appointment/contactlessPayments';
  const paid = await send(create, { amount: '20.00' });
  const declined = await send(create);
  const canceled = await send(create);
  const setup = await send(
    '/me/paymentMethods/prepared',
    { savePaymentMethod: true },
    'customer-token',
  );
  const present = (text: string, card: CardName) =>
    fake.presentCard(secretOf(text), card)._unsafeUnwrap().externalPaymentReference.id;
  const reference = present(paid, 'visa_credit');
  await send(`/contactlessPayments/${idOf(paid)}/captured`, external(reference));
  await send(
    `/contactlessPayments/${idOf(declined)}/captured`,
    external(present(declined, 'declined')),
  );
  const host = { subject: 'host', systemAdministrator: true };
  const cancel = { contactlessPaymentId: idOf(canceled) };
  (await chairside.cancelContactlessPayment(host, cancel))._unsafeUnwrap();
  fake.refund(reference, 500n)._unsafeUnwrap();
  for (const message of fake.takeEvents()._unsafeUnwrap()) {
    (await chairside.receiveProcessorEvent(message))._unsafeUnwrap();
  }

  // Mistakes of senders, and failures while secrets are in use.
  await send('/terminals', { ...device, platform: cardNumber });
  await send('/terminals', { ...device, card: { number: cardNumber, token: accessToken } });
  await send(create, { amount: cardNumber });
  await send(create, cardNumber);
  await send(`${create}?card=${cardNumber}&access_token=${accessToken}`, { amount: '0' });
  await send('/terminals', device, wrongToken);
  await send('/terminals', device, `${wrongToken},${wrongToken}`);
  const failed = await send(create, { amount: '6.66' });
  expect(JSON.parse(failed).status).toBe(503);
  await chairside.settled();
  (await chairside.reconcile())._unsafeUnwrap();
  clock.advance(3_600_000);
  (await chairside.reconcile())._unsafeUnwrap();

  const events: unknown[] = [];
  (await chairside.events.deliver(async (event) => void events.push(event)))._unsafeUnwrap();
  const timelines = await Promise.all(
    [paid, declined, canceled].map(async (text) => {
      const input = { contactlessPaymentId: idOf(text) };
      return (await chairside.getPaymentTimeline(people.owner, input))._unsafeUnwrap();
    }),
  );
  expect(events.length).toBeGreaterThan(5);
  expect(problems.length).toBeGreaterThan(7);
  expect(observations.length).toBeGreaterThan(20);
  await server.close(100);
  await chairside.settled();
  await store.close();

  const clientSecrets = [paid, declined, canceled, setup].map(secretOf);
  expect(new Set(clientSecrets).size).toBe(4);
  const never = [accessToken, wrongToken, cardNumber, connectionToken];
  const places = {
    logs: JSON.stringify(logged),
    observations: JSON.stringify(observations),
    events: JSON.stringify(events),
    timelines: JSON.stringify(timelines, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    ),
    problems: problems.join('\n'),
  };
  expect(sightings([...never, ...clientSecrets], places)).toEqual([]);

  const files = readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name), 'latin1'),
  ]);
  expect(sightings(never, Object.fromEntries(files))).toEqual([]);
  expect(sightings(clientSecrets, Object.fromEntries(files))).toHaveLength(4);
  expect(sightings(clientSecrets, withoutOwnPlaces(folder))).toEqual([]);
  rmSync(folder, { recursive: true });
});

/** The database without the places for client secrets. */
function withoutOwnPlaces(folder: string): Record<string, string> {
  const db = new BetterSqlite3(join(folder, 'chairside.db'));
  for (const update of [
    "chairside_payments SET client_secret = 'none'",
    "chairside_setups SET document = json_set(document, '$.clientSecret', 'none')",
  ]) {
    const { changes } = db.prepare(`UPDATE ${update}`).run();
    expect(changes).toBeGreaterThan(0);
  }
  const copy = join(folder, 'copy.db');
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  return { copy: readFileSync(copy, 'latin1') };
}

/** Throws an error with everything it knows, for one amount. */
function careless(fake: FakeProcessor): Processor {
  return {
    ...fake,
    openPayment(request) {
      if (request.amountMinor !== 666n) return fake.openPayment(request);
      throw new Error(`${accessToken} ${cardNumber} ${JSON.stringify(fake.entries())}`);
    },
  };
}

async function seed({ records }: Chairside): Promise<void> {
  const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'loc_shop' };
  const puts = [
    await records.putBusiness({ id: 'shop', name: 'Marlow', processorAccount: account }),
    await records.putBarber({ id: 'ada', businessId: 'shop' }),
    await records.putAppointment({
      id: 'appointment',
      businessId: 'shop',
      amountDueMinor: 10_000n,
      occursOn: '2026-11-02T10:00:00.000Z',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow' },
    }),
  ];
  expect(puts.every((put) => put.isOk())).toBe(true);
}
