import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AuthContext,
  type Chairside,
  createChairside,
  type Problem,
  type Result,
  type ResultAsync,
  systemClock,
} from '@chairside/core';
import { type EmbeddedServer, startEmbeddedServer } from '@chairside/embedded-postgres';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openPostgresStore } from '@chairside/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../src/directory.ts';
import { moveGroup, type Step } from '../src/move.ts';
import { createShards, type Shards } from '../src/shards.ts';

const ada: AuthContext = { subject: 'user-ada', barberId: 'ada' };
const steps: readonly Step[] = ['closed', 'fenced', 'copied', 'retired', 'switched'];
const opened: EmbeddedServer[] = [];

beforeAll(async () => {
  for (const _ of ['a', 'b']) opened.push(need(await startEmbeddedServer()));
});
afterAll(async () => {
  for (const server of opened) await server.remove();
});

it.each(steps)(
  'loses no payment if the move dies after "%s"',
  async (last) => {
    const shop = await openShops(last);
    const { processor, directory, servers } = shop;
    // Another node, which does not read the directory again.
    const unaware = createShards({ processor, directory, servers });
    // One payment is captured. A card was read for another. The capture of a third is under way.
    const captured = await shop.pay('haircut-0');
    const read = await shop.open('haircut-1');
    const inFlight = await shop.open('haircut-2');
    processor.failNext('capturePayment', 'slowReply');
    const stale = await unaware.of('north');
    if (stale === undefined) throw new Error('the group is closed');
    const capturing = stale.captureContactlessPayment(ada, inFlight);
    while (processor.count('capturePayment').applied < 2) await delay(5);

    const [, signal] = await shop.moveAndDie(last);
    expect(signal).toBe('SIGKILL');
    // That node goes on with the group that it knows.
    processor.release();
    const late = await capturing;
    if (late.isErr()) expect(late.error.recovery.outcome).toBe('unknown');
    else expect(last).toBe('closed');
    // Meanwhile phones go on, and a second run ends the move.
    const phones = Promise.all(['haircut-3', 'haircut-4'].map(shop.pay));
    await moveGroup({ directory, servers, group: 'north', to: 'b' });
    await phones;

    expect(await directory.find('north')).toEqual({ server: 'b', version: 1 });
    expect((await shop.capture(inFlight)).state).toBe('captured');
    expect((await shop.capture(read)).state).toBe('captured');
    // The key that was answered before the move has the same answer after it.
    expect(await shop.capture(captured.input)).toEqual(captured.answer);
    expect(processor.entries().map(({ amountCaptured }) => amountCaptured)).toEqual(
      Array.from({ length: 5 }, () => '45.00'),
    );
    // The old place neither reads nor writes.
    expect((await stale.getContactlessPayment(ada, inFlight)).isErr()).toBe(true);
    const lateCreate = { appointmentId: 'haircut-5', idempotencyKey: 'late' };
    expect((await stale.createContactlessPayment(ada, lateCreate)).isErr()).toBe(true);
    await unaware.close();
    await shop.close();
  },
  120_000,
);

async function openShops(name: string) {
  const urls = opened.map(({ connectionString }) => connectionString);
  const [a = '', b = ''] = urls;
  // A directory for each test, in a database beside the groups.
  const admin = new Pool({ connectionString: a });
  for (const [server, url] of Object.entries({ a, b })) {
    const pool = new Pool({ connectionString: url });
    await pool.query(`CREATE DATABASE ${name}_${server}`);
    await pool.end();
  }
  await admin.end();
  const urlOf = (url: string, server: string) => url.replace('/postgres?', `/${name}_${server}?`);
  const home = urlOf(a, 'a');
  const pools = {
    a: new Pool({ connectionString: home }),
    b: new Pool({ connectionString: urlOf(b, 'b') }),
  };
  for (const pool of Object.values(pools)) pool.on('error', () => undefined);
  const servers = new Map(Object.entries(pools));
  const directory: Directory = await openDirectory(pools.a);
  await directory.add('north', 'a');
  const processor = createFakeProcessor({ clock: systemClock, deadlineMs: 1000 });
  const shards = createShards({ directory, servers, processor });
  await furnish(pools.a, processor);

  const open = async (appointmentId: string) => {
    const create = { appointmentId, idempotencyKey: `open ${appointmentId}` };
    const { id, clientSecret } = await insist(shards, (own) =>
      own.createContactlessPayment(ada, create),
    );
    const { externalPaymentReference } = need(processor.presentCard(clientSecret, 'visa_credit'));
    return {
      contactlessPaymentId: id,
      idempotencyKey: `capture ${appointmentId}`,
      body: { externalPaymentReference },
    };
  };
  const capture = (input: Awaited<ReturnType<typeof open>>) =>
    insist(shards, (own) => own.captureContactlessPayment(ada, input));

  return {
    processor,
    directory,
    servers,
    open,
    capture,
    async pay(appointmentId: string) {
      const input = await open(appointmentId);
      return { input, answer: await capture(input) };
    },
    moveAndDie(last: Step) {
      const file = join(import.meta.dirname, 'move-and-die.ts');
      const urls = [home, home, urlOf(b, 'b')];
      const child = spawn(
        process.execPath,
        ['--conditions=@chairside/source', file, ...urls, last],
        {
          stdio: 'inherit',
        },
      );
      return once(child, 'exit');
    },
    async close() {
      await shards.close();
      for (const pool of servers.values()) await pool.end();
    },
  };
}

async function furnish(
  pool: Pool,
  processor: ReturnType<typeof createFakeProcessor>,
): Promise<void> {
  const store = need(await openPostgresStore(pool, { schema: 'north' }));
  const { records } = createChairside({ store, processor, installation: 'north' });
  const processorAccount = { id: 'acct_shop', currency: 'eur' };
  need(await records.putBusiness({ id: 'shop', name: 'Marlow & Sons', processorAccount }));
  need(await records.putBarber({ id: 'ada', businessId: 'shop' }));
  for (let number = 0; number < 6; number += 1) {
    need(
      await records.putAppointment({
        id: `haircut-${number}`,
        businessId: 'shop',
        amountDueMinor: 4500n,
        occursOn: '2026-12-01T09:00:00.000Z',
        timeZone: 'Europe/Berlin',
        barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
        location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
      }),
    );
  }
  await store.close();
}

const maxTries = 100;

/** Less than the limit of writes in a minute allows. */
const retryMs = 500;

/** Repeats a request as an app does: while the group moves, and while the outcome is unknown. */
async function insist<T>(
  shards: Shards,
  send: (own: Chairside) => ResultAsync<T, Problem>,
): Promise<T> {
  let last = 'the group moves';
  for (let tries = 0; tries < maxTries; tries += 1) {
    const own = await shards.of('north');
    const done = own && (await send(own));
    if (done?.isOk()) return done.value;
    if (done?.isErr() && done.error.recovery.retry === 'doNotRetry')
      throw new Error(JSON.stringify(done.error));
    if (done?.isErr()) last = JSON.stringify(done.error);
    await delay(retryMs);
  }
  throw new Error(`the request came to no end: ${last}`);
}

function need<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
  return result.value;
}
