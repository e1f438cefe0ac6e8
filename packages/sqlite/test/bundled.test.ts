import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('says that SQLite was bundled and what to do, and leaves no file behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-bundled-'));
  try {
    const source = join(import.meta.dirname, '../src/index.ts');
    const bundle = join(folder, 'server.mjs');
    const database = join(folder, 'payments.db');
    const entry = `import { openSqliteStore } from ${JSON.stringify(source)};
      const opened = openSqliteStore(${JSON.stringify(database)});
      console.log(JSON.stringify(opened.isErr() ? opened.error : 'opened'));`;
    writeFileSync(join(folder, 'entry.ts'), entry);
    await build({
      entryPoints: [join(folder, 'entry.ts')],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['@chairside/source'],
      // As bundlers of servers do.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const { stdout, stderr } = spawnSync(process.execPath, [bundle], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { reason, message } = JSON.parse(stdout);
    expect(reason).toBe('bundled');
    expect(message).toContain('keep better-sqlite3 and @chairside/sqlite out of the bundle');
    expect(existsSync(database)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
