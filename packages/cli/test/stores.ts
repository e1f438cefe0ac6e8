import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Store } from '@chairside/core/ports';
import { openPostgresStore } from '@chairside/postgres';
import { openSqliteStore } from '@chairside/sqlite';
import { inject, onTestFinished } from 'vitest';

/** The path of a file that does not exist yet. It is removed with its test. */
export function newPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}

function kept<S extends Store>(store: S): S {
  onTestFinished(() => store.close());
  return store;
}

/** The stores that an operator has, by name. */
export const stores: Readonly<Record<'sqlite' | 'postgres', () => Promise<Store>>> = {
  sqlite: async () => kept(openSqliteStore(newPath('shop.db'))._unsafeUnwrap()),
  async postgres() {
    // The developer's server, or the one of this test run.
    const url = process.env['DATABASE_URL'] ?? (await text(connect(inject('postgresServer'))));
    const store = await openPostgresStore(url, { schema: `test_${randomUUID()}` });
    return kept(store._unsafeUnwrap());
  },
};
