import { rmSync } from 'node:fs';
import type { Change, Payment } from '@chairside/core/ports';
import type { Job, Outcome } from './job.ts';
import { noLoad } from './load.ts';
import { amountMinor } from './request.ts';
import {
  addAppointments,
  anAppointment,
  commitAll,
  createAndCapture,
  openShop,
  stored,
} from './targets/shop.ts';
import { ids } from './targets/target.ts';

const perRound = 10_000;

/** Fills a database with captured payments whose keys are deleted: copies of a real one. */
export async function fill({ folder, database, payments = 0 }: Job): Promise<Outcome> {
  if (database !== undefined) rmSync(database, { force: true });
  const shop = await openShop({ folder, database });
  const [appointmentId = ''] = await addAppointments(shop, 1);
  const captured = await stored(shop, await createAndCapture(shop, appointmentId));
  const { nextCheckAt: _nextCheckAt, ...template } = captured;
  for (let made = 0; made < payments; made += perRound) {
    const count = Math.min(perRound, payments - made);
    const copies = Array.from({ length: count }, (_, n) => copyOf(template, made + n));
    await commitAll(shop.store, copies.flat());
  }
  shop.db.pragma('wal_checkpoint(TRUNCATE)');
  await shop.close();
  return { load: noLoad, commits: 0, cpuMicroseconds: 0, faults: [] };
}

function copyOf(template: Payment, number: number): Change[] {
  const id = ids.next('cpm');
  const appointmentId = `appointment-filled-${number}`;
  const payment = { ...template, id, appointment: { ...template.appointment, id: appointmentId } };
  return [
    anAppointment(appointmentId),
    { kind: 'insertPayment', payment },
    {
      kind: 'moveLedger',
      appointmentId,
      openPayments: 0,
      reservedMinor: 0n,
      capturedMinor: BigInt(amountMinor),
      currency: 'eur',
    },
  ];
}
