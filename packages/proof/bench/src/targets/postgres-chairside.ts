import { randomUUID } from 'node:crypto';
import { createChairside, systemClock } from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openPostgresStore, type PostgresStore } from '@chairside/postgres';
import { serve } from './chairside.ts';
import { createForgetfulLedger } from './forgetful-ledger.ts';
import type { OverPostgres } from './over-postgres.ts';
import { addBusiness, anAppointment, commitAll } from './shop.ts';

const clock = systemClock;

/** All of Chairside: handler, authentication, use cases, PostgreSQL, fake processor. */
export const chairside: OverPostgres = {
  async prepare(connectionString, appointmentIds) {
    const store = await open(connectionString);
    await addBusiness(createChairside({ store, processor: createFakeProcessor({ clock }), clock }));
    await commitAll(store, appointmentIds.map(anAppointment));
    await store.close();
  },
  counts: {
    payments: 'count(*) FROM chairside.chairside_payments',
    captured: `count(*) FROM chairside.chairside_payments
      WHERE state = 'captured' AND work_kind IS NULL`,
    keys: 'count(*) FROM chairside.chairside_keys',
    events: 'count(*) FROM chairside.chairside_events',
    openPayments: 'sum(open_payments) FROM chairside.chairside_ledgers',
    reservedMinor: 'sum(reserved_minor) FROM chairside.chairside_ledgers',
    capturedMinor: 'sum(captured_minor) FROM chairside.chairside_ledgers',
  },
  async serve(connectionString) {
    const store = await open(connectionString);
    const ledger = createForgetfulLedger();
    const fake = createFakeProcessor({ clock, ledger, seed: randomUUID() });
    const processor: Processor = {
      ...fake,
      // Presents a card at the terminal as soon as the payment is open.
      openPayment: (opening) =>
        fake.openPayment(opening).map((opened) => {
          fake.presentCard(opened.clientSecret, 'visa_credit')._unsafeUnwrap();
          return opened;
        }),
    };
    const chairside = createChairside({ store, processor, clock, rateLimits: 'off' });
    const server = await serve({ chairside });
    return {
      port: server.port,
      takenMinor: ledger.takenMinor,
      async close() {
        await server.close();
        await chairside.settled();
        await store.close();
      },
    };
  },
};

async function open(connectionString: string): Promise<PostgresStore> {
  const opened = await openPostgresStore(connectionString, { onError: console.error });
  if (opened.isErr()) throw new Error(opened.error.message);
  return opened.value;
}
