import {
  type AuthContext,
  createChairside,
  type InputOf,
  type Result,
  ResultAsync,
} from '@chairside/core';
import type { Change, Processor, ProcessorPayment, Store } from '@chairside/core/ports';
import { cards, createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { openPostgresStore } from '@chairside/postgres';
import { openSqliteStore } from '@chairside/sqlite';
import type { Address } from '../database.ts';
import type { Setup } from '../serve.ts';
import { amounts, appointment, createWait, token } from '../visits.ts';

const shop = 'shop-0';
export const ada: AuthContext = { subject: 'user-ada', barberId: 'ada', businessIds: [shop] };

export function must<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/**
 * A processor that takes time and nothing else: each payment has its card at once, and is forgotten when
 * it ends. So the servers are measured, and not a simulation or its growth.
 */
function createInstantProcessor(latencyMs: number): Processor {
  const wait = createWait(latencyMs);
  const { card } = cards.visa_credit;
  const payments = new Map<string, ProcessorPayment>();
  const reply = <T>(waited: Promise<unknown>, of: () => T) =>
    ResultAsync.fromSafePromise<T, never>(waited.then(of));

  return {
    ...createFakeProcessor(),
    openPayment: ({ paymentId, account, currency, amountMinor }) =>
      reply(wait(amountMinor === BigInt(amounts.slowOpen)), () => {
        const reference = `pi_${paymentId}`;
        const clientSecret = `${reference}_secret_${paymentId}`;
        const money = { currency, amountMinor, authorizedMinor: amountMinor };
        const seen = { status: 'authorized', authorizedAt: Date.now(), card } as const;
        payments.set(paymentId, { reference, account, clientSecret, ...money, ...seen });
        return { reference, clientSecret };
      }),
    readPayment: ({ paymentId }) => reply(wait(), () => payments.get(paymentId)),
    capturePayment: ({ paymentId, amountMinor }) =>
      reply(wait(amountMinor === BigInt(amounts.slowCapture)), () => {
        const payment = payments.get(paymentId);
        payments.delete(paymentId);
        if (payment === undefined) throw new Error(`${paymentId} is not open`);
        const captured = { capturedMinor: amountMinor, capturedAt: Date.now() };
        return { ...payment, status: 'captured', ...captured };
      }),
  };
}

/** Chairside over one of its stores, with a business and a barber. */
export async function openShop({ path = '', url }: Address, latencyMs = 0) {
  const options = { onError: console.error };
  const opened = url ? openPostgresStore(url, options) : openSqliteStore(path, options);
  const store: Store = must(await opened);
  const processor = createInstantProcessor(latencyMs);
  const chairside = createChairside({ store, processor, rateLimits: 'off' });
  const processorAccount = { id: 'acct_shop', currency: 'eur' };
  must(await chairside.records.putBusiness({ id: shop, name: 'Marlow & Sons', processorAccount }));
  must(await chairside.records.putBarber({ id: 'ada', businessId: shop }));
  return { store, chairside };
}

const visit: Omit<InputOf<'putAppointment'>, 'id'> = {
  businessId: shop,
  amountDueMinor: 4500n * 1_000_000n, // so that many visits may share one
  ...{ occursOn: '2026-11-02T10:00:00.000Z', timeZone: 'Europe/Berlin' },
  barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow', spokenLanguages: ['de', 'en'] },
  location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
};

/** Makes appointments, a thousand in each commit. */
export async function addAppointments(store: Store, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const changes = Array.from({ length: Math.min(1000, count - from) }, (_, n): Change => {
      return { kind: 'putAppointment', appointment: { ...visit, id: appointment(from + n) } };
    });
    must(await store.commit({ id: crypto.randomUUID(), at: Date.now(), changes }));
  }
}

/** All of Chairside over HTTP, and the tasks that a host runs in the same process. */
export async function serveChairside({ address, latencyMs }: Setup) {
  const { store, chairside } = await openShop(address, latencyMs);
  const authenticate = (sent: string) => (sent === token ? ada : undefined);
  const app = chairsideHandler(chairside, { authenticate, problemBase: 'https://bench.example' });
  const server = createNodeServer(app);
  const { port } = await server.listen(0);
  const tasks = {
    prepare: (count: number) => addAppointments(store, count),
    /** Until nothing is due. */
    async upkeep() {
      while (must(await chairside.upkeep({ deliver: async () => {} })).more);
    },
    async statement(day: string) {
      const input = { businessId: shop, day, timeZone: 'UTC' };
      const { state, differences } = must(await chairside.getStatement(ada, input));
      if (state !== 'closed' || differences.length > 0) throw new Error(`${day} is ${state}`);
    },
    erase: async (appointmentId: string) =>
      must(await chairside.eraseCustomer({ customerId: 'none', appointmentIds: [appointmentId] })),
  };
  return { port, tasks, close: () => server.close(100).then(chairside.settled).then(store.close) };
}
