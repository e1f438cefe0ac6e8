import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '@chairside/sqlite';
import { anEvent, aPayment, someTime } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { newPath } from './stores.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const folder = (name: string) => join(import.meta.dirname, 'fixtures', name);

interface Ended {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/** The command in a process of its own. */
function run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const flags = ['--no-warnings', '--conditions=@chairside/source', main];
  const { DATABASE: _, ...inherited } = process.env;
  return new Promise((resolve) => {
    const options = { cwd, env: { ...inherited, ...env } };
    execFile(process.execPath, [...flags, ...args], options, (error, output, errors) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, output, errors });
    });
  });
}

describe('a process', () => {
  it('finds the configuration of its folder, and the environment beside it', async () => {
    // No repository keeps an `.env`.
    writeFileSync(join(folder('works'), '.env'), 'DATABASE=:memory:\n');
    const { status, output, errors } = await run(folder('works'), ['doctor']);
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    expect(output).toContain('All is well.');
    expect(output).not.toContain('\u001b');
  });

  it('looks at a file while another process writes it', async () => {
    const path = newPath('used.db');
    const store = openSqliteStore(path)._unsafeUnwrap();
    const payment = aPayment({ clientSecret: 'cs_1', version: 1 });
    const changes = [{ kind: 'insertPayment', payment } as const];
    expect((await store.commit({ id: 'one', at: someTime, changes })).isOk()).toBe(true);
    const args = ['payment', 'cpm_1', '--sqlite', path];
    const { status, output, errors } = await run(folder('throws'), args);
    await store.close();
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    expect(output).toContain('With --sqlite the processor is not asked.');
    expect(output).not.toContain('cs_1');
  });

  it('finds nothing wrong with the settings of a file that another process writes', async () => {
    const path = newPath('well.db');
    const store = openSqliteStore(path)._unsafeUnwrap();
    const { status, output } = await run(folder('throws'), ['doctor', '--sqlite', path]);
    await store.close();
    expect(output).toMatch(/^ok +Store +SQLite [\d.]+, journal_mode wal\.$/m);
    expect(output).not.toMatch(/^error/m);
    expect(status).toBe(0);
  });

  it('names a row of a file that cannot be read', async () => {
    const path = newPath('corrupt.db');
    const store = openSqliteStore(path)._unsafeUnwrap();
    const changes = [{ kind: 'appendEvent', event: anEvent() } as const];
    expect((await store.commit({ id: 'one', at: someTime, changes })).isOk()).toBe(true);
    await store.close();
    const db = new DatabaseSync(path);
    db.exec("UPDATE chairside_events SET data = '{'");
    db.close();
    for (const command of ['events', 'doctor']) {
      const { status, output, errors } = await run(folder('works'), [command, '--sqlite', path]);
      expect(status).toBe(1);
      expect(errors).toMatch(/^chairside: A row of chairside_events cannot be read: .*\.\n$/);
      if (command === 'doctor') expect(output).toMatch(/^error +Row +A row of chairside_events/m);
    }
  });

  it.each([
    ['no configuration', 'nowhere', [], /^There is no chairside\.config\.ts in .*--sqlite\.$/],
    [
      'a configuration that throws',
      'throws',
      [],
      /could not be loaded: Set DATABASE_URL, as \.env\.example does\.$/,
    ],
    [
      'a configuration of something else',
      'wrong',
      [],
      /must export by default an object with a chairside/,
    ],
    [
      'a file that does not exist',
      'works',
      ['--config', 'other.ts'],
      /^There is no file .*other\.ts\.$/,
    ],
    ['a missing database', 'works', ['--sqlite', 'no.db'], /no\.db: .*\.$/],
  ])('ends with one sentence and the status 2: %s', async (_, name, args, sentence) => {
    const cwd = name === 'nowhere' ? import.meta.dirname : folder(name);
    const { status, output, errors } = await run(cwd, ['doctor', ...args]);
    expect({ status, output }).toEqual({ status: 2, output: '' });
    const [line = '', ...more] = errors.trimEnd().split('\n');
    expect(more).toEqual([]);
    expect(line.replace('chairside: ', '')).toMatch(sentence);
  });

  it('ends so with a broken database, of a configuration or by itself', async () => {
    const path = newPath('broken.db');
    writeFileSync(path, 'This is a letter, and by no means a database.');
    for (const ended of [
      await run(folder('works'), ['doctor'], { DATABASE: path }),
      await run(folder('works'), ['doctor', '--sqlite', path]),
    ]) {
      expect(ended.status).toBe(2);
      expect(ended.errors.trimEnd().split('\n')).toHaveLength(1);
      expect(ended.errors).toContain('The file is not a database, or it is encrypted');
    }
  });
});
