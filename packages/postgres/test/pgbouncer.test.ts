import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { storeContract } from '@chairside/testkit/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { inSchema } from '../src/schema.ts';
import {
  connectionString,
  empty,
  holdLedger,
  insertOf,
  newPool,
  newSchema,
  openStore,
} from './helpers.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

let folder = '';
let bouncer: ChildProcess | undefined;

beforeAll(async () => {
  if (program === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'cs-bnc-'));
  // Versions before 1.21 have no prepared statements to switch off.
  const version = /1\.(\d+)/.exec(String(spawnSync(program, ['--version']).stdout))?.[1];
  const knowsPlans = Number(version) >= 21;
  const { host, port, user, database } = new Client({ connectionString });
  writeFileSync(join(folder, 'users.txt'), `"${user}" ""\n`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${host} port=${port}
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
${knowsPlans ? 'max_prepared_statements = 0' : ''}
default_pool_size = 4
`,
  );
  // It refuses to run as root, as the server does.
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody']).stdout.toString());
  const account = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : undefined;
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  bouncer = spawn(program, [join(folder, 'pgbouncer.ini')], { ...account, stdio: 'ignore' });
  const isReady = () => existsSync(join(folder, '.s.PGSQL.6432'));
  for (let looks = 0; looks < 1000 && !isReady(); looks += 1) await delay(10);
});
afterAll(() => {
  bouncer?.kill();
  if (folder !== '') rmSync(folder, { recursive: true });
});

/** A connection through it, which other clients share from transaction to transaction. */
function url(): string {
  const { user, database } = new Client({ connectionString });
  return `postgresql://${user}@localhost:6432/${database}?host=${encodeURIComponent(folder)}`;
}

describe.skipIf(program === undefined)(
  'through PgBouncer in transaction mode (skipped without it; `apt-get install pgbouncer` brings it)',
  () => {
    const schema = newSchema();

    const proven = 'the contract without PgBouncer proves it';
    storeContract(
      'The PostgreSQL store behind PgBouncer',
      async () => {
        await empty(schema);
        return {
          store: await openStore({ schema }, url()),
          second: () => openStore({ schema }, url()),
          reopen: () => openStore({ schema }, url()),
          hold: (appointmentId) => holdLedger(schema, appointmentId),
        };
      },
      {
        ...{ loseReply: proven, cutOff: proven, delayRequest: proven },
        ...{ stall: proven, kill: proven, restart: proven, failFlush: proven },
      },
    );

    it('a commit that is given up ends at the server too', async () => {
      const own = newSchema();
      const store = await openStore({ schema: own, deadlineMs: 300, maxAttempts: 1 }, url());
      const admin = newPool();
      await admin.query(
        inSchema(
          `ALTER FUNCTION @commit_v1 RENAME TO real;
          CREATE FUNCTION @commit_v1(JSONB, INT[], INT, BOOLEAN) RETURNS JSONB
          LANGUAGE sql AS $$ SELECT pg_sleep(60); SELECT '{}'::JSONB $$`,
          own,
        ),
      );
      const answer = await store.commit(insertOf('cpm_1'));
      expect(answer._unsafeUnwrapErr()).toMatchObject({ outcome: 'notApplied' });
      const { rows } = await admin.query(
        `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1`,
        [`%${own}%commit_v1%`],
      );
      expect(rows).toStrictEqual([]);
    });

    it('names a startup parameter that it refuses', async () => {
      const opened = await openPostgresStore(`${url()}&statement_timeout=1000`, { schema });
      expect(opened._unsafeUnwrapErr().message).toBe(
        'unsupported startup parameter: statement_timeout',
      );
    });

    it('a session setting of another client changes nothing', async () => {
      const store = await openStore({ schema }, url());
      const others = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const client = new Client({ connectionString: url() });
          await client.connect();
          await client.query(`SET search_path = nowhere; SET synchronous_commit = off`);
          return client;
        }),
      );
      const ids = Array.from({ length: 50 }, (_, index) => `cpm_${index}`);
      const written = await Promise.all(ids.map((id) => store.commit(insertOf(id))));
      expect(written.every((each) => each.isOk())).toBe(true);
      const found = await Promise.all(ids.map((id) => store.payments.get(id)));
      expect(found.map((each) => each._unsafeUnwrap()?.id)).toStrictEqual(ids);
      await Promise.all(others.map((client) => client.end()));
    });
  },
);
