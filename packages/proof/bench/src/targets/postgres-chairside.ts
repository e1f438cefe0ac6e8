import { randomUUID } from 'node:crypto';
import { createChairside, type Processor, systemClock } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openPostgresStore, type PostgresStore } from '@chairside/postgres';
import { serve } from './chairside.ts';
import type { OverPostgres, ServedNode } from './over-postgres.ts';
import { anAppointment, commitAll, must } from './shop.ts';

export const chairside: OverPostgres = {
  async prepare(connectionString, appointments) {
    const store = await open(connectionString);
    const processor = createFakeProcessor({ clock: systemClock });
    const { records } = createChairside({ store, processor, clock: systemClock });
    must(
      await records.putBusiness({
        id: 'shop',
        name: 'Marlow & Sons',
        processorAccount: { id: 'acct_shop', currency: 'eur' },
      }),
    );
    must(await records.putBarber({ id: 'ada', businessId: 'shop' }));
    await commitAll({ store, clock: systemClock }, appointments.map(anAppointment));
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
};

/** All of Chairside: handler, authentication, use cases, PostgreSQL, fake processor. */
export async function serveChairside(connectionString: string): Promise<ServedNode> {
  const store = await open(connectionString);
  const fake = createFakeProcessor({ clock: systemClock, seed: randomUUID() });
  const processor: Processor = {
    ...fake,
    // Presents a card at the terminal as soon as the payment is open.
    openPayment: (opening) =>
      fake.openPayment(opening).map((opened) => {
        fake.presentCard(opened.clientSecret, 'visa_credit')._unsafeUnwrap();
        return opened;
      }),
  };
  const chairside = createChairside({ store, processor, clock: systemClock, rateLimits: 'off' });
  const server = await serve({ chairside });
  return {
    port: server.port,
    takenMinor: () =>
      fake
        .entries()
        .reduce((sum, { amountCaptured }) => sum + Number(amountCaptured.replace('.', '')), 0),
    async close() {
      await server.close();
      await chairside.settled();
      await store.close();
    },
  };
}

async function open(connectionString: string): Promise<PostgresStore> {
  const opened = await openPostgresStore(connectionString, { onError: console.error });
  if (opened.isErr()) throw new Error(opened.error.message);
  return opened.value;
}
