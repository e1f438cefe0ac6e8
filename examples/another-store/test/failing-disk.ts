import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { StoreHarness } from '@chairside/testkit/contracts';

/**
 * The next COMMIT on this file fails after it was carried out, as it does if fsync fails. `restore` takes
 * back the changes that the disk has lost, before the file is opened again.
 */
export function failingDisk(path: string) {
  const files = [path, `${path}-wal`];
  let lost: ReadonlyMap<string, Buffer> | undefined;
  const failFlush: StoreHarness['failFlush'] = async (isKept) => {
    const { exec } = DatabaseSync.prototype;
    let hasStruck = false;
    DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string): void {
      const isFlushed =
        text === 'COMMIT' && this.location() === path && synchronous(this) >= 2 && !hasStruck;
      if (!isFlushed) {
        exec.call(this, text);
        return;
      }
      hasStruck = true;
      if (!isKept) lost ??= new Map(files.map((file) => [file, readFileSync(file)]));
      exec.call(this, text);
      throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
    };
    return async () => {
      DatabaseSync.prototype.exec = exec;
      return hasStruck;
    };
  };
  function restore(): void {
    if (lost !== undefined) rmSync(`${path}-shm`, { force: true });
    for (const [file, bytes] of lost ?? []) writeFileSync(file, bytes);
  }
  return { failFlush, restore };
}

function synchronous(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA synchronous').get()?.['synchronous']);
}
