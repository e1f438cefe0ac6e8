import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { newPath } from './helpers.ts';

it('opens each of many new files from many processes at once', async () => {
  const path = newPath();
  const open = `
    import { openSqliteStore } from '@chairside/sqlite';
    for (let file = 0; file < 25; file += 1) {
      while (Date.now() % 50 > 0); // all of them in the same moment
      const opened = openSqliteStore(process.argv[1] + file);
      if (opened.isErr()) throw new Error(opened.error.message);
      await opened.value.close();
    }
  `;
  const args = ['--conditions=@chairside/source', '--input-type=module', '-e', open, path];
  const processes = Array.from({ length: 4 }, () =>
    spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' }),
  );
  const codes = await Promise.all(processes.map((process) => once(process, 'exit')));
  expect(codes.map(([code]) => code)).toStrictEqual([0, 0, 0, 0]);
});
