import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@chairside/core/ports';
import { aKeyRecord } from '@chairside/testkit';
import type { Pool, PoolClient } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../src/index.ts';
import {
  commitOf,
  insertOf,
  moveOf,
  newPool,
  newSchema,
  openStore,
  startServer,
} from './helpers.ts';

const put = (id: string): Change => ({
  kind: 'insertKey',
  record: aKeyRecord({ key: id, resourceId: id }),
});

/** Ends another session's action, or the session. */
async function strike(admin: Pool, how: 'cancel' | 'terminate', name: string): Promise<void> {
  await admin.query(
    `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE application_name = $1`,
    [name],
  );
}

async function until(admin: Pool, name: string, condition: string): Promise<void> {
  for (;;) {
    const found = await admin.query(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND ${condition}`,
      [name],
    );
    if (found.rowCount !== 0) return;
  }
}

/**
 * Returns once commits wait for a standby that is not there: the server reads its configuration some time after it
 * was asked to.
 */
async function requireStandby(admin: Pool): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = 'absent'`);
  await admin.query('SELECT pg_reload_conf()');
  for (let isWaiting = false; !isWaiting; ) {
    const probe = await admin.connect();
    const { rows } = await probe.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    let isOver = false;
    const written = probe.query(`SELECT pg_logical_emit_message(true, 'probe', '')`).finally(() => {
      isOver = true;
    });
    while (!isWaiting && !isOver) {
      const waiting = await admin.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
         WHERE pid = $1 AND wait_event = 'SyncRep'`,
        [rows[0]?.pid],
      );
      isWaiting = waiting.rowCount !== 0;
    }
    await written;
    probe.release();
  }
}

/** A commit exists completely or not at all. */
async function isThere(store: PostgresStore, id: string): Promise<boolean> {
  const key = (await store.keys.get(aKeyRecord().subject, id))._unsafeUnwrap() !== undefined;
  const ledger = (await store.ledgers.get(id))._unsafeUnwrap().openPayments;
  const found = (await store.wasCommitted(id))._unsafeUnwrap();
  expect([ledger, found]).toStrictEqual([key ? 1 : 0, key]);
  return key;
}

describe.each(['cancel', 'terminate'] as const)('pg_%s_backend', (how) => {
  async function given() {
    const schema = newSchema();
    const name = `cs-${schema.slice(-12)}`;
    const admin = newPool();
    const direct = await openStore({ schema });
    const pool = newPool({ max: 1, application_name: name });
    const store = await openStore({ schema, maxAttempts: 1 }, pool);

    return { schema, name, admin, direct, store };
  }

  it('before a group: it is written on another connection, or was not', async () => {
    const { name, admin, direct, store } = await given();
    (await store.commit(commitOf('first', put('first'), moveOf('first'))))._unsafeUnwrap();
    await strike(admin, how, name);
    const answer = await store.commit(commitOf('a', put('a'), moveOf('a')));
    expect(await isThere(direct, 'a')).toBe(answer.isOk());
  });

  it.each(['first', 'second', 'last'] as const)(
    'in the middle of a group, at its %s commit: no change of it exists, and its results are true',
    async (place) => {
      const { schema, name, admin, direct, store } = await given();
      const held = { first: 'a', second: 'b', last: 'c' }[place];
      (await direct.commit(commitOf('held', put('held'), moveOf('held'))))._unsafeUnwrap();
      const holder = await admin.connect();
      await holder.query('BEGIN');
      // An insert of this key waits for the holder.
      await holder.query(`INSERT INTO "${schema}".chairside_keys VALUES ($1, $2, '', '')`, [
        aKeyRecord().subject,
        held,
      ]);
      const answers = Promise.all(
        ['a', 'b', 'c'].map((id) => store.commit(commitOf(id, put(id), moveOf(id)))),
      );
      await until(admin, name, `wait_event_type = 'Lock'`);
      await strike(admin, how, name);
      const told = await answers;
      await holder.query('ROLLBACK');
      holder.release();
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        expect(await isThere(direct, id)).toBe(false);
        expect(told[index]?._unsafeUnwrapErr()).toMatchObject({
          kind: 'storeUnavailable',
          // A session that reports its end may have committed before.
          outcome: how === 'cancel' ? 'notApplied' : 'unknown',
        });
        const next = `${id}2`;
        (await store.commit(commitOf(next, put(next), moveOf(next))))._unsafeUnwrap();
        expect(await isThere(direct, next)).toBe(true);
      }
    },
  );

  it('while a group waits for its standby: its results are unknown, not ok', async () => {
    const server = await startServer();
    const { connectionString } = server;
    const admin = newPool({ connectionString });
    const pool = newPool({ connectionString, max: 1, application_name: 'waiter' });
    const opened = await openPostgresStore(pool, { maxAttempts: 1 });
    const store = opened._unsafeUnwrap();
    await requireStandby(admin);
    await until(admin, 'waiter', 'TRUE');
    const answers = Promise.all(
      ['a', 'b'].map((id) => store.commit(commitOf(id, put(id), moveOf(id)))),
    );
    await until(admin, 'waiter', `wait_event = 'SyncRep'`);
    await strike(admin, how, 'waiter');
    for (const answer of await answers) {
      expect(answer._unsafeUnwrapErr()).toMatchObject({
        kind: 'storeUnavailable',
        outcome: 'unknown',
      });
    }
    // Without the standby, both are found.
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await admin.query('SELECT pg_reload_conf()');
    for (const id of ['a', 'b']) {
      const found = await store.wasCommitted(id);
      expect(found.unwrapOr(true)).toBe(true);
    }
  });
});

describe('what a node gives up, the server gives up too', () => {
  async function given(settings: Record<string, string> = {}, deadlineMs = 400) {
    const server = await startServer({ settings });
    const admin = newPool({ connectionString: server.connectionString, max: 2 });
    const pool = newPool({
      connectionString: server.connectionString,
      max: 2,
      application_name: 'node',
    });
    const told: string[] = [];
    const onError = (error: unknown) => told.push(String(error));
    const opened = await openPostgresStore(pool, { deadlineMs, onError });
    const store = opened._unsafeUnwrap();
    const sessions = async (which = 'TRUE') => {
      const { rows } = await admin.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'node' AND ${which}`,
      );
      return rows.map(({ pid }) => pid);
    };
    return { admin, store, told, sessions };
  }

  it('a commit that waits for a standby: its sessions do not fill the server', async () => {
    const { admin, store, sessions } = await given({ max_connections: '15' });
    await requireStandby(admin);
    let most = 0;
    for (let round = 0; round < 8; round += 1) {
      const ids = ['a', 'b', 'c'].map((id) => `${id}${round}`);
      const answers = await Promise.all(ids.map((id) => store.commit(commitOf(id, put(id)))));
      for (const answer of answers) {
        expect(answer._unsafeUnwrapErr()).toMatchObject({ outcome: 'unknown' });
      }
      most = Math.max(most, (await sessions()).length);
    }
    expect(most).toBeLessThanOrEqual(4);
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await admin.query('SELECT pg_reload_conf()');
    await expect
      .poll(async () => (await store.commit(commitOf('on', put('on')))).isOk())
      .toBe(true);
  });

  it('a read that is slow', async () => {
    const { admin, store } = await given();
    await admin.query(`ALTER FUNCTION chairside.chairside_read_v1 RENAME TO real;
      CREATE FUNCTION chairside.chairside_read_v1(TEXT[], JSONB, INT) RETURNS JSON
      LANGUAGE sql AS $$ SELECT pg_sleep(60); SELECT '[]'::JSON $$`);
    expect((await store.payments.get('no')).isErr()).toBe(true);
    const { rows } = await admin.query(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'node' AND state = 'active'`,
    );
    expect(rows).toStrictEqual([]);
  });

  it('a commit of a server that has no time: no more than twice the pool is opened', async () => {
    const { admin, store, told, sessions } = await given({}, 1500);
    const holder = await admin.connect();
    await holder.query('BEGIN; LOCK TABLE chairside.chairside_commits');
    const frozen = new Set<number>();
    const thaw = () => {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
      frozen.clear();
    };
    onTestFinished(async () => thaw());
    let isFreezing = true;
    const freezing = (async () => {
      while (isFreezing) {
        for (const pid of await sessions(`wait_event_type = 'Lock'`)) {
          if (!frozen.has(pid)) process.kill(pid, 'SIGSTOP');
          frozen.add(pid);
        }
      }
    })();
    const commit = (id: string) => store.commit(commitOf(id, put(id)));
    const isRefused = () => told.some((each) => each.includes('sessions that were given up'));
    for (let round = 0; round < 30 && !isRefused(); round += 1) {
      const answers = await Promise.all([commit(`a${round}`), commit(`b${round}`)]);
      expect(answers.every((answer) => answer.isErr())).toBe(true);
    }
    expect(isRefused()).toBe(true);
    expect((await sessions()).length).toBeLessThanOrEqual(2 * 2 + 2);
    isFreezing = false;
    await freezing;
    await holder.query('ROLLBACK');
    holder.release();
    thaw();
    await expect
      .poll(async () => (await commit('on')).isOk(), { timeout: 60_000, interval: 500 })
      .toBe(true);
  });
});

it('a full server is waited for at the start', async () => {
  const settings = { max_connections: '5', superuser_reserved_connections: '0' };
  const server = await startServer({ settings });
  const held: PoolClient[] = [];
  const others = newPool({ connectionString: server.connectionString, max: 20 });
  for (;;) {
    try {
      held.push(await others.connect());
    } catch {
      break;
    }
  }
  const opening = openPostgresStore(server.connectionString, { maxAttempts: 100 });
  setTimeout(() => {
    for (const client of held) client.release(true);
  }, 300);
  await (await opening)._unsafeUnwrap().close();
});

const mayMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!mayMount)('a full disk (skipped if none can be mounted)', () => {
  function mountSmall(size: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'cs-full-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    onTestFinished(async () => {
      if (mounted.status === 0) spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    });
    expect(mounted.status, String(mounted.stderr)).toBe(0);
    return folder;
  }

  it('in the middle of groups: those that fit are written whole, the others not', async () => {
    const server = await startServer();
    const folder = mountSmall('4m');
    const { uid, gid } = statSync(server.dataFolder);
    chownSync(folder, uid, gid);
    const admin = newPool({ connectionString: server.connectionString });
    const opened = await openPostgresStore(server.connectionString, { maxAttempts: 1 });
    const store = opened._unsafeUnwrap();
    onTestFinished(store.close);
    await admin.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
    await admin.query('ALTER TABLE chairside.chairside_payments SET TABLESPACE small');

    const told = new Map<string, boolean>();
    for (let round = 0; round < 400; round += 1) {
      const ids = Array.from({ length: 40 }, (_, index) => `cpm_${round}-${index}`);
      const answers = await Promise.all(
        ids.map((id) =>
          store.commit(
            commitOf(id, ...insertOf(id, { clientSecret: 'x'.repeat(1900) }).changes, moveOf(id)),
          ),
        ),
      );
      for (const [index, answer] of answers.entries()) told.set(ids[index] ?? '', answer.isOk());
      if (answers.filter((answer) => answer.isErr()).length > 20) break;
    }
    const refused = [...told.values()].filter((isOk) => !isOk).length;
    expect(refused).toBeGreaterThan(0);
    expect(told.size - refused).toBeGreaterThan(100);
    for (const [id, isOk] of [...told].slice(-120)) {
      const there = (await store.payments.get(id))._unsafeUnwrap() !== undefined;
      const ledger = (await store.ledgers.get(id))._unsafeUnwrap().openPayments;
      expect([there, ledger], id).toStrictEqual([isOk, isOk ? 1 : 0]);
    }
    // Commits that need no space there continue.
    expect((await store.commit(commitOf('on', put('on')))).isOk()).toBe(true);
  }, 120_000);
});
