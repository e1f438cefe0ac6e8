import { ResultAsync } from '@chairside/core';
import type { Read, StoreAbout, StoreUnavailable } from '@chairside/core/ports';
import type { Run } from './migrate.ts';
import { missingOf } from './requirements.ts';
import { inSchema } from './schema.ts';

/** What the server is now: its settings may have changed since the store was opened. */
export function aboutServer(run: Run, schema: string, allowsFsyncOff: boolean): Read<StoreAbout> {
  return ResultAsync.fromPromise(
    readAbout(run, schema, allowsFsyncOff),
    (cause): StoreUnavailable => ({ kind: 'storeUnavailable', outcome: 'notApplied', cause }),
  );
}

const durable = ['synchronous_commit', 'fsync'];

async function readAbout(run: Run, schema: string, allowsFsyncOff: boolean): Promise<StoreAbout> {
  const shown = ['server_version', ...durable].map(
    (name) => `current_setting('${name}', TRUE) AS ${name}`,
  );
  const [row = {}] = await run(
    inSchema(`SELECT ${shown}, (SELECT max(version)::TEXT FROM @migrations) AS schema`, schema),
  );
  const missing = await missingOf(run, allowsFsyncOff);
  const settings = durable.flatMap((name) => {
    const value = row[name];
    return value === null || value === undefined ? [] : [[name, value] as const];
  });
  return {
    product: `PostgreSQL ${row['server_version'] ?? ''}`.trim(),
    schemaVersion: Number(row['schema']),
    settings: Object.fromEntries(settings),
    ...(missing !== undefined && { fault: missing.why }),
  };
}
