import { rmSync } from 'node:fs';
import type { Payment } from '@chairside/core';
import { type Job, noLoad, type Outcome } from './job.ts';
import { ids } from './targets/ids.ts';
import {
  addAppointments,
  amountMinor,
  anAppointment,
  capture,
  commitAll,
  create,
  openShop,
  present,
  type Shop,
  stored,
} from './targets/shop.ts';

const perRound = 10_000;

/** Fills a database with captured payments whose keys are deleted: copies of a real one. */
export async function fill({ folder, database, payments = 0 }: Job): Promise<Outcome> {
  if (database !== undefined) rmSync(database, { force: true });
  const shop = await openShop({ folder, database });
  const template = await captured(shop);
  for (let made = 0; made < payments; made += perRound) {
    const changes = Array.from({ length: Math.min(perRound, payments - made) }, (_, index) =>
      copyOf(template, made + index),
    );
    await commitAll(shop, changes.flat());
  }
  shop.db.pragma('wal_checkpoint(TRUNCATE)');
  await shop.close();
  return { load: noLoad, commits: 0, cpuMicroseconds: 0, faults: [] };
}

async function captured(shop: Shop): Promise<Payment> {
  const [appointmentId = ''] = await addAppointments(shop, 1);
  const { id, clientSecret } = await create(shop, appointmentId);
  await capture(shop, id, present(shop, clientSecret));
  const { nextCheckAt: _nextCheckAt, ...payment } = await stored(shop, id);
  return payment;
}

function copyOf(template: Payment, number: number) {
  const id = ids.next('cpm');
  const appointmentId = `appointment-filled-${number}`;
  const payment = { ...template, id, appointment: { ...template.appointment, id: appointmentId } };
  return [
    anAppointment(appointmentId),
    { kind: 'insertPayment', payment } as const,
    {
      kind: 'moveLedger',
      appointmentId,
      openPayments: 0,
      reservedMinor: 0n,
      capturedMinor: BigInt(amountMinor),
      currency: 'eur',
    } as const,
  ];
}
