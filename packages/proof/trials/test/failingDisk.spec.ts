import { describe, expect, it } from 'vitest';
import { failAndRecover } from './crash/fail-and-recover.ts';

const minute = 60_000;

describe('a server whose database can no longer be written', () => {
  it.skipIf(process.platform === 'win32').each([
    // The kernel lets files grow no further.
    ['because the disk is full', { maxFileBytes: 1024 * 1024 }, 'unknown'],
    // The commit may be on the disk anyway.
    ['because a commit failed', { failingCommit: 40 }, 'unknown'],
    // SQLite reports it before it writes.
    ['because it may not grow', { maxPages: 100 }, 'notApplied'],
    // SQLite would go on writing to files that the next start does not find (D205).
    ['because another SQLite in its process deleted the -wal', { loses: 'openedTwice' }, 'unknown'],
    ['because the -shm was deleted', { loses: 'shmDeleted' }, 'unknown'],
  ] as const)(
    '%s reports it, and keeps every payment after a restart (D70)',
    async (_, options, outcome) => {
      const { told, writtenBefore, captured, violations } = await failAndRecover(options);
      expect(violations).toEqual([]);
      expect(writtenBefore).toBeGreaterThan(0);
      expect(captured).toBeGreaterThan(writtenBefore / 2);
      expect(told.map((answer) => answer.outcome)).toContain(outcome);
      for (const { retry } of told) expect(retry).toBe('retrySameRequestAfterDelay');
    },
    5 * minute,
  );
});
