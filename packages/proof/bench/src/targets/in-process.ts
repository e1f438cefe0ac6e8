import { randomUUID } from 'node:crypto';
import type { Change } from '@chairside/core';
import { ids } from './ids.ts';
import { addAppointments, capture, create, openShop, present, type Shop, stored } from './shop.ts';
import { openSlim } from './slim.ts';
import { tally, verifyGrowth } from './tally.ts';
import type { Driven, Setting } from './target.ts';

/** Chairside without HTTP: each caller creates a payment, presents a card and captures it. */
export async function openInProcess({ folder, wanted }: Setting): Promise<Driven> {
  const shop = await openShop({ folder });
  const appointments = (await addAppointments(shop, wanted)).values();
  const before = tally(shop);
  const commitsBefore = shop.commits();
  return {
    requestsPerStep: 2,
    async step() {
      const payment = await create(shop, next(appointments));
      await capture(shop, payment.id, present(shop, payment.clientSecret));
    },
    commits: () => shop.commits() - commitsBefore,
    verify: async (answered) =>
      verifyGrowth(shop, before, { creates: answered / 2, captures: answered / 2 }),
    close: shop.close,
  };
}

function next<T>(values: Iterator<T>): T {
  const { done, value } = values.next();
  if (done === true) throw new Error('there are not enough appointments prepared');
  return value;
}

/** The store alone, with the two commits of a create. */
export async function openStore({ folder }: Setting): Promise<Driven> {
  const shop = await openShop({ folder });
  const [appointmentId = ''] = await addAppointments(shop, 1);
  const template = await stored(shop, (await create(shop, appointmentId)).id);
  const before = tally(shop);
  const commitsBefore = shop.commits();
  return {
    requestsPerStep: 1,
    async step() {
      const id = ids.next('cpm');
      const payment = { ...template, id, version: 1 };
      const opened = { ...payment, version: 2 };
      await write(shop, [
        insertKey(id),
        { kind: 'insertPayment', payment },
        openLedger(`appointment-of-${id}`),
      ]);
      await write(shop, [
        { kind: 'updatePayment', payment: opened, expectedVersion: 1 },
        appendEvent(id),
      ]);
    },
    commits: () => shop.commits() - commitsBefore,
    // The fake processor was not called.
    verify: async (answered) => verifyGrowth(shop, before, { creates: answered, opened: 0 }),
    close: shop.close,
  };
}

function insertKey(resourceId: string): Change {
  const [subject, key, fingerprint] = ['user-ada', randomUUID(), 'f'.repeat(64)];
  const operation = 'createContactlessPayment';
  return { kind: 'insertKey', record: { subject, key, operation, fingerprint, resourceId } };
}

function openLedger(appointmentId: string): Change {
  const zero = { reservedMinor: 0n, capturedMinor: 0n };
  const currency = 'eur';
  return {
    kind: 'moveLedger',
    appointmentId,
    openPayments: 1,
    ...zero,
    currency,
    maxOpenPayments: 50,
  };
}

function appendEvent(subject: string): Change {
  const data = {
    contactlessPaymentId: subject,
    appointmentId: `appointment-of-${subject}`,
    businessId: 'shop',
    barberId: 'ada',
    amount: '45.00',
    currency: 'eur',
    state: 'created',
  } as const;
  const type = 'contactlessPayment.created';
  return {
    kind: 'appendEvent',
    event: { subject, version: 2, type, occurredAt: Date.now(), data },
  };
}

async function write({ store, clock }: Shop, changes: readonly Change[]): Promise<void> {
  const written = await store.commit({ id: ids.next('cmt'), at: clock.now(), changes });
  if (written.isErr()) throw new Error(written.error.kind);
}

const batch = 64;

/**
 * The best that better-sqlite3 can do: the minimal writes of 64 creates in each of two
 * transactions.
 */
export async function openBatches({ folder }: Setting): Promise<Driven> {
  const slim = openSlim(folder);
  let made = 0;
  return {
    ...slim,
    requestsPerStep: batch,
    async step() {
      const payments = Array.from({ length: batch }, () =>
        slim.begun({ appointment: `appointment-${made++}`, key: '', amount: '45.00' }),
      );
      slim.inTransaction(() => {
        for (const payment of payments) slim.reserve(payment, randomUUID());
      });
      slim.inTransaction(() => {
        for (const payment of payments) slim.effects(payment);
      });
    },
    async close() {
      slim.close();
    },
  };
}
