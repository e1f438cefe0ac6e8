import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dropSchemas, openPostgres } from '@chairside/spec/open-postgres';
import type { Harness } from '@chairside/trials';
import { afterAll, expect, it } from 'vitest';
import { overPostgres, sqliteHarness } from './ours/harness.ts';
import { shareBugs } from './shares/bugs.ts';
import { shareSeeds } from './shares/seeds.ts';

// Memory has a test of its own, and `pnpm trial shares` more seeds.
afterAll(dropSchemas);

const stores: readonly (readonly [name: string, harness: Harness, seeds: number])[] = [
  ['SQLite', sqliteHarness, 6],
  ['PostgreSQL', overPostgres(openPostgres), 3],
];
for (const [name, harness, seeds] of stores) {
  it(`shares agree with plain arithmetic over all calls, in ${name} (D208)`, async () => {
    const { faults, sharings } = await shareSeeds(harness, seeds);
    expect(faults).toEqual([]);
    // Without sharings, the run would prove too little.
    expect(sharings).toBeGreaterThan(seeds);
  });
}

it('finds each bound that is left out', async () => {
  // A process of its own: the bugs are planted as its modules are loaded.
  const main = fileURLToPath(new URL('shares/main.ts', import.meta.url));
  const given = ['--conditions=@chairside/source', main, '--bugs'];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  expect(stdout.trim().split('\n')).toEqual(shareBugs.map(({ name }) => name));
});
