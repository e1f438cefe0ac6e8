import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The Unix socket of this test run's PostgreSQL server. */
    readonly postgresServer: string;
  }
}

/** One server for the whole test run. It starts when the first test asks for it. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-ask-'));
  const path = join(folder, 'ask');
  let started: { readonly child: ChildProcess; readonly answer: Promise<string> } | undefined;

  function start() {
    const file = join(import.meta.dirname, 'server-process.ts');
    const child = spawn(process.execPath, ['--conditions=@chairside/source', file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const answer = Promise.race([
      once(child.stdout, 'data').then(([data]) => String(data)),
      once(child, 'exit').then(() => ''),
    ]);
    return { child, answer };
  }

  const door = createServer((asking) => {
    // The asking worker may have ended by now.
    asking.on('error', () => {});
    started ??= start();
    void started.answer.then((connectionString) => asking.end(connectionString));
  });
  door.listen(path);
  project.provide('postgresServer', path);

  return async () => {
    door.close();
    rmSync(folder, { recursive: true });
    if (started === undefined || started.child.exitCode !== null) return;
    const gone = once(started.child, 'exit');
    started.child.stdin?.end();
    await gone;
  };
}
