import { describe, expect, it } from 'vitest';
import { failAndRecover } from './crash/fail-and-recover.ts';

const minute = 60_000;

describe('a server whose database cannot be written any more', () => {
  it.skipIf(process.platform === 'win32').each([
    // The kernel lets no file grow beyond it.
    ['because the disk is full', { maxFileBytes: 512 * 1024 }, 'unknown'],
    // It may be on the disk all the same.
    ['because a commit failed', { failingCommit: 40 }, 'unknown'],
    // SQLite says so before it writes anything.
    ['because it may not grow', { maxPages: 100 }, 'notApplied'],
  ] as const)(
    '%s says so, and has lost nothing when it is started again',
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
