import { createChairside, errAsync, systemClock } from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { openSqliteStore } from '@chairside/sqlite';
import { aBarber, aBusiness, anAppointment } from '@chairside/testkit';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDemoProcessor } from '../src/demo-processor.ts';
import { openStorageFile } from '../src/durable-storage.ts';
import { newPath } from './server.ts';

const ada = { subject: 'user-ada', barberId: 'barber-1' };
const lost = () => errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);

test('the books are flushed before its replies leave', () => {
  const db = openStorageFile(newPath());
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.pragma('synchronous', { simple: true })).toBe(2);
  db.close();
});

test('a capture of a payment that the processor has lost is not retried for ever', async () => {
  const store = openSqliteStore(newPath())._unsafeUnwrap();
  const path = newPath();
  const over = (processor: Processor) =>
    createChairside({ store, processor, clock: systemClock, rateLimits: 'off' });
  const demo = openDemoProcessor(path)._unsafeUnwrap();
  const chairside = over({ ...demo, capturePayment: lost });
  const { records } = chairside;
  (await records.putBusiness(aBusiness()))._unsafeUnwrap();
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  (await records.putAppointment(anAppointment()))._unsafeUnwrap();
  const opened = await chairside.createContactlessPayment(ada, {
    appointmentId: 'appointment-1',
    idempotencyKey: 'create',
  });
  const { id, clientSecret } = opened._unsafeUnwrap();
  const { externalPaymentReference } = demo
    .presentCard(clientSecret, 'visa_credit')
    ._unsafeUnwrap();
  const capture = (idempotencyKey: string) => ({
    contactlessPaymentId: id,
    idempotencyKey,
    body: { externalPaymentReference },
  });
  const first = await chairside.captureContactlessPayment(ada, capture('capture'));
  expect(first._unsafeUnwrapErr().recovery.outcome).toBe('unknown');
  demo.close();

  // Deletes the books.
  const db = new BetterSqlite3(path);
  db.exec('DELETE FROM ledger');
  db.close();
  const empty = openDemoProcessor(path)._unsafeUnwrap();
  for (const key of ['capture', 'another key']) {
    const again = await over(empty).captureContactlessPayment(ada, capture(key));
    expect(again._unsafeUnwrapErr()).toMatchObject({
      type: 'unprocessableEntity',
      recovery: { outcome: 'unknown', retry: 'doNotRetry' },
    });
  }
  empty.close();
  await store.close();
});
