import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { expect, onTestFinished, test } from 'vitest';
import {
  capture,
  createPayment,
  newPath,
  openAppointment,
  runToEnd,
  startServer,
  tap,
} from './server.ts';

test('one setting keeps the records in PostgreSQL, also over a restart', async () => {
  const database = (await startEmbeddedServer())._unsafeUnwrap();
  onTestFinished(() => database.remove());
  // The simulated processor keeps its file.
  const env = { CHAIRSIDE_POSTGRES: database.connectionString, CHAIRSIDE_DB: newPath() };

  const first = await startServer(env);
  const { host, password } = new URL(database.connectionString);
  expect(first.greeting).toContain(`Records are in PostgreSQL, ${host}/`);
  if (password !== '') expect(first.greeting).not.toContain(password);
  const payment = await createPayment(first.url, await openAppointment(first.url));
  first.signal('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0, stderr: '' });

  const second = await startServer(env);
  const { externalPaymentReference } = await tap(second.url, payment, 'visa_credit');
  const captured = await capture(second.url, payment.id, externalPaymentReference.id);
  expect(captured.status).toBe(200);
});

test('a database that does not answer is one line', async () => {
  const env = { CHAIRSIDE_POSTGRES: 'postgres://ada:hidden@127.0.0.1:1/shop' };
  const { code, stderr } = await runToEnd(env);
  expect(stderr).toMatch(/^chairside: [^\n]*127\.0\.0\.1:1\b[^\n]*\n$/);
  expect(stderr).not.toContain('hidden');
  expect(code).toBe(1);
});
