import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '@chairside/core';
import type { Commit, Store } from '@chairside/core/ports';
import type { EmbeddedServer } from '@chairside/embedded-postgres';
import { aPayment } from '@chairside/testkit';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { commitOf, moveOf, newPool, newSchema, openStore, startServer } from './helpers.ts';

/** A longer storm runs by a command: see `pnpm storm`. */
const repeats = Number(process.env['CHAIRSIDE_STORM'] ?? 1) - 1;

const writers = Array.from({ length: 16 }, (_, writer) => writer);

/** A separate payment, and one more on the writer's ledger. */
function writeOf(id: string): Commit {
  return commitOf(
    `commit ${id}`,
    { kind: 'insertPayment', payment: aPayment({ id }) },
    moveOf(`of ${id.split('-')[0]}`),
  );
}

type Told = 'ok' | 'unknown' | 'notApplied';

/**
 * Writes with 16 at once. The disaster strikes after the given number of acknowledged writes; it
 * continues until the disaster is over and as many more were acknowledged.
 */
async function writeThrough(store: Store, disaster: () => Promise<void>) {
  const told = new Map<string, Told>();
  let acknowledged = 0;
  let enough = Number.POSITIVE_INFINITY;
  let striking: Promise<void> | undefined;
  const write = async (writer: number) => {
    for (let n = 0; acknowledged < enough; n += 1) {
      const id = `${writer}-${n}`;
      const answer = await store.commit(writeOf(id));
      told.set(id, outcomeOf(answer));
      if (answer.isErr()) continue;
      acknowledged += 1;
      if (acknowledged < 60) continue;
      striking ??= disaster().then(() => {
        enough = acknowledged + 60;
      });
    }
  };
  await Promise.all(writers.map(write));
  await striking;
  return told;
}

function outcomeOf(
  answer: Result<void, { kind: string; outcome?: 'unknown' | 'notApplied' }>,
): Told {
  if (answer.isOk()) return 'ok';
  return answer.error.outcome ?? 'unknown';
}

/** Acknowledged writes exist once; writes that were not applied do not exist. */
async function expectKept(store: Store, told: ReadonlyMap<string, Told>): Promise<void> {
  let found = 0;
  for (const [id, outcome] of told) {
    const isThere = (await store.payments.get(id))._unsafeUnwrap() !== undefined;
    if (isThere) found += 1;
    if (outcome !== 'unknown') expect(isThere, `${id} was told ${outcome}`).toBe(outcome === 'ok');
    const asked = await store.wasCommitted(`commit ${id}`);
    // An unknown write must not be reported as not written.
    expect(outcome === 'unknown' ? asked.unwrapOr(false) : asked._unsafeUnwrap()).toBe(isThere);
  }
  const ledgers = await Promise.all(writers.map((writer) => store.ledgers.get(`of ${writer}`)));
  const moves = ledgers.map((ledger) => ledger._unsafeUnwrap().openPayments);
  expect(moves.reduce((sum, each) => sum + each)).toBe(found);
}

describe('no acknowledged write is lost, and none has two effects, when', {
  repeats,
}, () => {
  it('the sessions of a store end while they write', async () => {
    const name = `chairside-${newSchema()}`;
    const admin = newPool();
    const store = await openStore({}, newPool({ application_name: name }));
    const told = await writeThrough(store, async () => {
      for (let round = 0; round < 10; round += 1) {
        await admin.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`,
          [name.slice(0, 63)],
        );
      }
    });
    await expectKept(store, told);
  });

  it('the server crashes, and starts again', async () => {
    const server = await startServer();
    const store = (await openPostgresStore(server.connectionString))._unsafeUnwrap();
    onTestFinished(() => store.close());
    const told = await writeThrough(store, async () => {
      await server.stop('immediate');
      (await server.start())._unsafeUnwrap();
    });
    await expectKept(store, told);
  });

  it('the primary dies, and its synchronous standby takes over', async () => {
    const primary = await startServer({ settings: { synchronous_standby_names: '*' } });
    const admin = await connect(primary);
    const standby = await startServer({ fill: (folder) => copyOf(primary, admin, folder) });
    await until(admin, `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);

    // The address of the primary, as a proxy or a DNS name gives it.
    const found = join(mkdtempSync(join(tmpdir(), 'cs-dns-')), 'primary');
    onTestFinished(async () => rmSync(join(found, '..'), { recursive: true }));
    const pointTo = ({ socketFolder }: EmbeddedServer) => {
      symlinkSync(socketFolder, `${found}.new`);
      renameSync(`${found}.new`, found);
    };
    pointTo(primary);
    const store = (
      await openPostgresStore(
        `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(found)}`,
        { deadlineMs: 10_000 },
      )
    )._unsafeUnwrap();
    onTestFinished(() => store.close());

    const told = await writeThrough(store, async () => {
      await primary.stop('immediate');
      const other = await connect(standby);
      await other.query('SELECT pg_promote()');
      pointTo(standby);
    });
    expect(readlinkSync(found)).toBe(standby.socketFolder);
    await expectKept(store, told);
  }, 120_000);
});

it('a commit that the standby has not confirmed is not acknowledged', async () => {
  const primary = await startServer();
  const { connectionString } = primary;
  await (await openPostgresStore(connectionString))._unsafeUnwrap().close();
  await primary.stop();
  // That standby does not exist: from now on, every commit waits for it.
  appendFileSync(
    join(primary.dataFolder, 'postgresql.conf'),
    `synchronous_standby_names = 'absent'\n`,
  );
  (await primary.start())._unsafeUnwrap();
  const admin = await connect(primary);
  const store = (await openPostgresStore(connectionString, { maxAttempts: 2 }))._unsafeUnwrap();
  onTestFinished(() => store.close());
  const answer = store.commit(writeOf('lonely'));
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  // When its wait is ended, PostgreSQL reports success to the session; the store does not.
  while (!isAnswered) {
    await admin.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
    );
  }
  expect((await answer)._unsafeUnwrapErr()).toMatchObject({
    kind: 'storeUnavailable',
    outcome: 'unknown',
  });
});

async function connect({ connectionString: to }: EmbeddedServer): Promise<Client> {
  const client = new Client({ connectionString: to });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function until(client: Client, query: string): Promise<void> {
  while ((await client.query(query)).rowCount === 0);
}

/** A copy of a running server's records, which follows it from then on. */
async function copyOf(primary: EmbeddedServer, admin: Client, folder: string): Promise<void> {
  await admin.query(`SELECT pg_backup_start('standby', TRUE)`);
  cpSync(primary.dataFolder, folder, {
    recursive: true,
    filter: (path) => !/postmaster\.(pid|opts)$/.test(path),
  });
  const { rows } = await admin.query<{ labelfile: string }>(
    'SELECT labelfile FROM pg_backup_stop(FALSE)',
  );
  writeFileSync(join(folder, 'backup_label'), rows[0]?.labelfile ?? '');
  writeFileSync(join(folder, 'standby.signal'), '');
  writeFileSync(
    join(folder, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${primary.socketFolder} user=postgres'\n`,
  );
}
