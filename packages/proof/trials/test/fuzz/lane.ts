import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthContext,
  type Chairside,
  createChairside,
  defaultRateLimits,
} from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { people } from '@chairside/spec/people';
import { openSqliteStore } from '@chairside/sqlite';
import { createManualClock } from '@chairside/testkit';
import BetterSqlite3 from 'better-sqlite3';
import type { Known } from './generate.ts';

/** A separate service with its own database, which receives one request after the other. */
export interface Lane {
  /** The service's address. */
  readonly path: string;
  readonly known: Known;
  /** Changes with every commit to the database. */
  dataVersion(): unknown;
  /** Whether all running work only waits for the rest of a request. */
  isIdle(): boolean;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
  /** Moves the world: time, appointments, and presented cards. */
  turn(): Promise<void>;
  /** Stores the records that a response has created. */
  learn(operation: string, body: unknown): void;
  close(): Promise<void>;
}

export const problemBase = 'https://shop.example';

export async function openLane(options: { readonly isLimited: boolean }): Promise<Lane> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-fuzz-'));
  const file = join(folder, 'chairside.db');
  const opened = openSqliteStore(file);
  if (opened.isErr()) throw new Error(opened.error.message);
  const store = opened.value;
  const watch = new BetterSqlite3(file, { readonly: true });
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const rateLimits = options.isLimited ? defaultRateLimits : 'off';
  const chairside = createChairside({ store, processor, clock, rateLimits });
  const app = chairsideHandler(chairside, {
    authenticate,
    problemBase,
    refunds: true,
    receipts: true,
    charges: true,
  });
  const running = new Set<Parameters<typeof app.fetch>[0]>();
  const server = createNodeServer({
    fetch: async (request) => {
      running.add(request);
      try {
        return await app.fetch(request);
      } finally {
        running.delete(request);
      }
    },
    refuse: app.refuse,
  });
  const path = join(folder, 'socket');
  await new Promise<void>((resolve) => server.server.listen(path, resolve));

  const known: Known = {
    ids: {
      appointmentId: [],
      contactlessPaymentId: [],
      refundId: [],
      terminalId: [],
      businesses: ['shop', 'newShop'],
      barbers: ['ada', 'ben'],
      accountId: [],
      scheduleId: [],
    },
    references: [],
  };
  await putShop(chairside);
  let turns = 0;
  /** Payments with an approved card, which the next turn captures. */
  const presentedOf = new Map<string, string>();

  return {
    path,
    known,
    dataVersion: () => watch.pragma('data_version', { simple: true }),
    learn,
    isIdle: () => [...running].every(({ runtime }) => runtime?.node?.req.complete === false),
    async idle() {
      while (running.size > 0) await new Promise((resolve) => setImmediate(resolve));
      await chairside.settled();
    },
    async turn() {
      clock.advance(100);
      if (turns % 100 === 0) await putRecords(chairside, turns, known);
      turns += 1;
      for (const [id, reference] of presentedOf) await capture(chairside, id, reference);
      presentedOf.clear();
      // Releases of other payments follow the answer.
      await chairside.settled();
    },
    async close() {
      await server.close(0);
      await chairside.settled();
      watch.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };

  function learn(operation: string, body: unknown): void {
    if (typeof body !== 'object' || body === null || !('id' in body)) return;
    const { ids, references } = known;
    const id = String(body.id);
    if (operation === 'registerTerminal') keep(ids['terminalId'], id);
    if (operation === 'refundPayment') keep(ids['refundId'], id);
    if (operation !== 'createContactlessPayment') return;
    keep(ids['contactlessPaymentId'], id);
    const secret = 'clientSecret' in body ? String(body.clientSecret) : '';
    const presented = processor.presentCard(secret, turns % 3 === 0 ? 'declined' : 'visa_credit');
    if (presented.isErr()) return;
    const { id: reference } = presented.value.externalPaymentReference;
    keep(references, reference);
    // Some stay open, for requests that capture them.
    if (turns % 5 > 0) presentedOf.set(id, reference);
  }
}

/** The latest records are the interesting ones. */
function keep(list: string[] | undefined, value: string): void {
  list?.push(value);
  if ((list?.length ?? 0) > 20) list?.shift();
}

/** An appointment may owe less by now, or the card was declined. */
async function capture(chairside: Chairside, id: string, reference: string): Promise<void> {
  const body = {
    externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' },
  } as const;
  const input = { contactlessPaymentId: id, idempotencyKey: `capture ${id}`, body };
  const captured = await chairside.captureContactlessPayment(people.ada, input);
  if (captured.isErr() && captured.error.status >= 500) throw new Error(captured.error.detail);
}

function authenticate(token: string): AuthContext | undefined {
  const everyone: Readonly<Record<string, AuthContext>> = people;
  return Object.hasOwn(everyone, token) ? everyone[token] : undefined;
}

async function putShop({ records }: Chairside): Promise<void> {
  const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'loc_shop' };
  const settings = { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' } as const;
  expectPut(await records.putBusiness({ id: 'shop', name: 'Marlow', processorAccount: account }));
  expectPut(await records.putBusiness({ id: 'newShop', name: 'Wren' }));
  expectPut(await records.putPayoutPreferences({ businessId: 'shop', settings }));
  for (const id of ['ada', 'ben']) expectPut(await records.putBarber({ id, businessId: 'shop' }));
  expectPut(await records.putBarber({ id: 'cleo', businessId: 'newShop' }));
}

async function putRecords({ records }: Chairside, turn: number, { ids }: Known): Promise<void> {
  const appointment = `appointment-${turn}`;
  expectPut(
    await records.putAppointment({
      id: appointment,
      businessId: 'shop',
      amountDueMinor: 4500n,
      occursOn: '2026-11-02T10:00:00.000Z',
      barber: { id: turn % 500 === 0 ? 'ben' : 'ada', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow' },
    }),
  );
  keep(ids['appointmentId'], appointment);
  const [accountId, scheduleId] = [`account-${turn}`, `schedule-${turn}`];
  expectPut(
    await records.putFinancialAccount({
      id: accountId,
      businessId: 'shop',
      bankName: 'Old Town Savings',
      maskedAccountNumber: '*6789',
      currency: 'eur',
      isDefault: turn === 0,
    }),
  );
  keep(ids['accountId'], accountId);
  expectPut(
    await records.putSchedule({ id: scheduleId, barberId: 'ada', name: 'Winter', hours: [] }),
  );
  keep(ids['scheduleId'], scheduleId);
}

function expectPut(put: { isErr(): boolean }): void {
  if (put.isErr()) throw new Error('a record was refused');
}
