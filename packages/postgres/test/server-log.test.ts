import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { hold, insertOf, newPool } from './helpers.ts';

const schema = 'chairside';
const secret = 'pi_1_secret_of_the_card';
const slow = { log_min_duration_statement: '0', log_statement: 'all' };
const failing = { log_min_error_statement: 'debug5', log_error_verbosity: 'verbose' };

/** What the server's log says after a commit, one that its function refuses, and one that is ended. */
async function logAfterCommits(settings: Record<string, string>): Promise<string> {
  let log = '';
  const onLog = (text: string) => {
    log += text;
  };
  const server = (await startEmbeddedServer({ settings, onLog }))._unsafeUnwrap();
  const { connectionString } = server;
  try {
    const pool = newPool({ connectionString, max: 1, application_name: 'node' });
    const store = (await openPostgresStore(pool, { maxAttempts: 1 }))._unsafeUnwrap();
    const secretOf = (id: string) => insertOf(id, { clientSecret: `${id}_${secret}` });
    (await store.commit(secretOf('written')))._unsafeUnwrap();
    expect((await store.payments.get('written'))._unsafeUnwrap()?.clientSecret).toContain(secret);
    expect((await store.commit({ ...secretOf('written'), id: 'again' })).isErr()).toBe(true);
    const locked = await hold(schema, 'LOCK TABLE @commits', connectionString);
    const ended = store.commit(secretOf('ended'));
    await locked.waitedFor();
    const admin = newPool({ connectionString });
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'node'`,
    );
    expect((await ended)._unsafeUnwrapErr()).toMatchObject({ outcome: 'unknown' });
    await locked.release();
    await store.close();
    await Promise.all([admin.end(), pool.end()]);
  } finally {
    await server.remove();
  }
  return log;
}

it('a session that is ended during a commit leaves no client secret in the log', async () => {
  const log = await logAfterCommits(failing);
  expect(log).toContain('terminating connection');
  expect(log).toContain('chairside_commit_v1($1');
  expect(log).not.toContain(secret);
});

it('logged statements hold no client secret with log_parameter_max_length = 0', async () => {
  const log = await logAfterCommits({ ...failing, ...slow, log_parameter_max_length: '0' });
  expect(log).toContain('chairside_commit_v1($1');
  expect(log).not.toContain(secret);
});

it('shows client secrets if it logs statements with their parameters, as SECURITY.md says', async () => {
  expect(await logAfterCommits(slow)).toContain(secret);
});
