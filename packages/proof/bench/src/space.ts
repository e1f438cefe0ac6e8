import { hourMs } from '@chairside/core';
import { type Job, noLoad, type Outcome } from './job.ts';
import {
  addAppointments,
  capture,
  create,
  forEachOf,
  must,
  openShop,
  present,
  type Shop,
} from './targets/shop.ts';

/** Longer than the retention of keys (D21), commits and delivered events. */
const later = 80 * hourMs;

/**
 * Captures payments, and advances the clock until their keys are deleted. Returns the bytes left of
 * each: the pages of all tables and indexes except the host's records.
 */
export async function measureSpace({ payments = 0 }: Job, folder: string): Promise<Outcome> {
  let now = Date.now();
  const shop = await openShop({ folder, clock: { now: () => now } });
  const emptyBytes = usedBytes(shop);
  await forEachOf(await addAppointments(shop, payments), 64, async (appointmentId) => {
    now += 10; // so that times and ids are as far apart as in production
    const payment = await create(shop, appointmentId);
    await capture(shop, payment.id, present(shop, payment.clientSecret));
  });
  await deliverAll(shop);
  const count = (table: string) =>
    shop.db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  now += later;
  await reconcileUntil(shop, () => true);
  now += later; // for the commit ids of reconcile itself
  await reconcileUntil(shop, () => count('chairside_commits') < 1000);
  const keysLeft = count('chairside_keys');
  const bytesPerPayment = (usedBytes(shop) - emptyBytes) / payments;
  await shop.close();
  return {
    load: noLoad,
    commits: 0,
    cpuMicroseconds: 0,
    faults: keysLeft === 0 ? [] : [`${keysLeft} keys are left`],
    bytesPerPayment,
  };
}

async function deliverAll({ chairside }: Shop): Promise<void> {
  for (let more = true; more; ) {
    ({ more } = must(await chairside.events.deliver(async () => {}, { limit: 1000 })));
  }
}

/** A host does this on a timer, over hours. */
async function reconcileUntil({ chairside }: Shop, isDone: () => boolean): Promise<void> {
  for (let more = true; more || !isDone(); ) {
    ({ more } = must(await chairside.reconcile({ limit: 1000 })));
  }
}

/** Pages in use, without the free list. */
function usedBytes({ db }: Shop): number {
  const sql = `SELECT sum(pgsize) FROM dbstat JOIN sqlite_schema USING (name)
    WHERE tbl_name LIKE 'chairside_%' AND tbl_name <> 'chairside_appointments'`;
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}
