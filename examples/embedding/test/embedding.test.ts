import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chairside, createChairside, systemClock } from '@chairside/core';
import { contactlessPaymentSchema, problemSchema } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { shopApp } from '../src/mount.ts';
import { ada, haircut, shop } from '../src/records.ts';
import { takePayment } from '../src/take-payment.ts';

test('the ten lines take a payment on every run', async () => {
  for (let runs = 0; runs < 2; runs += 1) {
    const paid = (await takePayment())._unsafeUnwrap();
    expect(paid).toMatchObject({ state: 'captured', amount: '45.00' });
  }
});

test("README's code is the file, byte for byte", () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
  const code = readFileSync(join(import.meta.dirname, '../src/take-payment.ts'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  const mount = readFileSync(join(import.meta.dirname, '../src/mount.ts'), 'utf8');
  const [, shown = 'no code'] = /```ts\n(const payments = .*?)```\n/s.exec(readme) ?? [];
  expect(mount.replaceAll(/^ {2}/gm, '')).toContain(shown);
});

test("in a shop's own app, payments have a path prefix", async () => {
  const host = shopApp(await openChairside());
  expect(await (await host.request('/')).text()).toBe('Marlow & Sons, barbers');

  const create = () =>
    host.request(`/payments/appointments/${haircut.id}/contactlessPayments`, {
      method: 'POST',
      headers: { authorization: 'Bearer session-of-ada', 'idempotency-key': 'open-1' },
    });
  const created = await create();
  expect(created.status).toBe(201);
  const payment = v.parse(contactlessPaymentSchema, await created.json());
  expect(created.headers.get('location')).toBe(`/payments/contactlessPayments/${payment.id}`);
  expect((await create()).headers.get('idempotent-replayed')).toBe('true');

  const unknown = await host.request('/payments/nothing');
  expect(unknown.status).toBe(404);
  const problem = v.parse(problemSchema, await unknown.json());
  expect(problem.type).toBe('https://chairside.example/problems/notFound');
});

test('an undecodable path gets a problem of the interface', async () => {
  const host = shopApp(await openChairside());
  const answer = await host.request('/payments/contactlessPayments/%zz', {
    headers: { authorization: 'Bearer session-of-ada' },
  });
  expect(answer.status).toBe(400);
  const problem = v.parse(problemSchema, await answer.json());
  expect(problem.type).toBe('https://chairside.example/problems/badRequest');
  expect(problem.problems?.map(({ attributes }) => attributes)).toEqual([
    { pointer: 'path/contactlessPaymentId' },
  ]);
});

async function openChairside(): Promise<Chairside> {
  const store = openSqliteStore(':memory:')._unsafeUnwrap();
  const processor = createFakeProcessor({ clock: systemClock });
  const chairside = createChairside({ store, processor });
  const { putAppointment, putBarber, putBusiness } = chairside.records;
  for (const put of [
    await putBusiness(shop),
    await putBarber(ada),
    await putAppointment(haircut),
  ]) {
    expect(put.isOk()).toBe(true);
  }
  return chairside;
}
