import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbeddedServer } from '@chairside/embedded-postgres';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { insertOf, newPool, startServer } from './helpers.ts';
import { startStandby } from './standby.ts';

async function standby(): Promise<EmbeddedServer> {
  const server = await startStandby();
  onTestFinished(() => server.remove());
  return server;
}

/** The address of the primary, as a proxy or a DNS name gives it. */
function startDirectory(): { readonly url: string; pointTo(server: EmbeddedServer): void } {
  const folder = mkdtempSync(join(tmpdir(), 'cs-dns-'));
  onTestFinished(async () => rmSync(folder, { recursive: true }));
  const found = join(folder, 'primary');
  return {
    url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(found)}`,
    pointTo: ({ socketFolder }) => {
      symlinkSync(socketFolder, `${found}.new`);
      renameSync(`${found}.new`, found);
    },
  };
}

it('a standby is not opened', async () => {
  const { connectionString } = await standby();
  const opened = await openPostgresStore(connectionString);
  expect(opened._unsafeUnwrapErr()).toMatchObject({
    reason: 'readOnly',
    message: 'The server is a standby, which takes no writes',
  });
});

it('a commit to a standby is retried, and written once that takes over', async () => {
  const server = await standby();
  const primary = await startServer();
  const directory = startDirectory();
  directory.pointTo(primary);
  const admin = newPool({ connectionString: server.connectionString });
  let promoted: Promise<unknown> | undefined;
  const opened = await openPostgresStore(directory.url, {
    maxAttempts: 1000,
    deadlineMs: 60_000,
    onError: (error) => {
      if (/0A000/.test(String(error))) promoted ??= admin.query('SELECT pg_promote()');
    },
  });
  const store = opened._unsafeUnwrap();
  onTestFinished(() => store.close());
  directory.pointTo(server);
  await primary.stop('immediate');
  expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
  expect(promoted).toBeDefined();
  await promoted;
  await admin.end();
});

it('a read from a standby, which may be late, is no proof that a record is missing', async () => {
  const server = await standby();
  const primary = await startServer();
  const directory = startDirectory();
  directory.pointTo(primary);
  const opened = await openPostgresStore(directory.url, { maxAttempts: 2 });
  const store = opened._unsafeUnwrap();
  onTestFinished(() => store.close());
  (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
  directory.pointTo(server);
  await terminateAll(primary);
  expect((await store.payments.get('cpm_1')).isErr()).toBe(true);
  directory.pointTo(primary);
  expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
});

it('a node that met a standby connects to the present address of the primary', async () => {
  const old = await standby();
  const directory = startDirectory();
  const primary = (
    await startEmbeddedServer({
      fill: async (dataFolder) => {
        await old.stop();
        cpSync(old.dataFolder, dataFolder, { recursive: true });
        rmSync(join(dataFolder, 'standby.signal'));
        (await old.start())._unsafeUnwrap();
      },
    })
  )._unsafeUnwrap();
  onTestFinished(() => primary.remove());
  directory.pointTo(primary);
  const opened = await openPostgresStore(directory.url, {
    deadlineMs: 60_000,
    maxConnections: 1,
    onError: (error) => {
      if (/0A000/.test(String(error))) directory.pointTo(primary);
    },
  });
  const store = opened._unsafeUnwrap();
  directory.pointTo(old);
  await terminateAll(primary);
  onTestFinished(() => store.close());
  expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
});

async function terminateAll({ connectionString }: EmbeddedServer): Promise<void> {
  const admin = newPool({ connectionString });
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  await admin.end();
}
