import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One folder for all temporary files of a test run, deleted when the run ends. */
export function setup(): () => void {
  const before = process.env['TMPDIR'];
  // Short, because the path of a Unix socket has at most 108 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'cs-'));
  chmodSync(folder, 0o711); // PostgreSQL runs as another user
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
