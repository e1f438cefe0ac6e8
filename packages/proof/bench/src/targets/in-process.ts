import { randomUUID } from 'node:crypto';
import type { Change } from '@chairside/core';
import { amount } from '../request.ts';
import {
  addAppointments,
  commitAll,
  countFrom,
  create,
  createAndCapture,
  openShop,
  stored,
} from './shop.ts';
import { type Driven, ids, type Setting } from './target.ts';

/** Chairside without HTTP: each caller creates a payment, presents a card and captures it. */
export async function openInProcess({ folder, wanted }: Setting): Promise<Driven> {
  const shop = await openShop({ folder });
  const appointmentIds = await addAppointments(shop, wanted);
  const finding = countFrom(shop);
  return {
    requestsPerStep: 2,
    async step() {
      const appointmentId = appointmentIds.pop();
      if (appointmentId === undefined) throw new Error('Too few appointments are prepared.');
      await createAndCapture(shop, appointmentId);
    },
    finish: async ({ answered }) => finding({ creates: answered / 2, captures: answered / 2 }),
    close: shop.close,
  };
}

/** The store alone, with the two commits of a create. */
export async function openStore({ folder }: Setting): Promise<Driven> {
  const shop = await openShop({ folder });
  const [appointmentId = ''] = await addAppointments(shop, 1);
  const template = await stored(shop, (await create(shop, appointmentId)).id);
  const finding = countFrom(shop);
  return {
    requestsPerStep: 1,
    async step() {
      const payment = { ...template, id: ids.next('cpm'), version: 1 };
      await commitAll(shop.store, reservation(payment));
      await commitAll(shop.store, [
        { kind: 'updatePayment', payment: { ...payment, version: 2 }, expectedVersion: 1 },
        createdEvent(payment.id),
      ]);
    },
    // The fake processor was not called.
    finish: async ({ answered }) => finding({ creates: answered, opened: 0 }),
    close: shop.close,
  };
}

type Template = Awaited<ReturnType<typeof stored>>;

function reservation(payment: Template): Change[] {
  const [subject, key, fingerprint] = ['user-ada', randomUUID(), 'f'.repeat(64)];
  const operation = 'createContactlessPayment' as const;
  const record = { subject, key, operation, fingerprint, resourceId: payment.id };
  return [
    { kind: 'insertKey', record },
    { kind: 'insertPayment', payment },
    {
      kind: 'moveLedger',
      appointmentId: `appointment-of-${payment.id}`,
      openPayments: 1,
      reservedMinor: 0n,
      capturedMinor: 0n,
      currency: 'eur',
      maxOpenPayments: 50,
    },
  ];
}

function createdEvent(subject: string): Change {
  const data = {
    contactlessPaymentId: subject,
    appointmentId: `appointment-of-${subject}`,
    businessId: 'shop',
    barberId: 'ada',
    amount,
    currency: 'eur',
    state: 'created',
  } as const;
  const type = 'contactlessPayment.created';
  return {
    kind: 'appendEvent',
    event: { subject, version: 2, type, occurredAt: Date.now(), data },
  };
}
