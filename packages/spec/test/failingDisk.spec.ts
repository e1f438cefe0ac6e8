import { describe, expect, it } from 'vitest';
import { openSite, type StartOptions } from '../src/crash/site.ts';

const minute = 60_000;
/** So many answers after the first failure: the server has had its time to show what it does. */
const failures = 60;

/**
 * Takes payments until the database can be written no more, starts the server again where it can,
 * and lets everyone finish. Answers what clients were told meanwhile of their requests.
 */
async function failAndRecover(options: StartOptions) {
  const site = await openSite(4);
  const { client } = site;
  await site.start(options);
  await new Promise<void>((resolve) => {
    const failed = () => client.log.filter(({ answer }) => answer?.status === 503);
    client.onMove = () => {
      if (failed().length < failures) return;
      client.onMove = () => undefined;
      resolve();
    };
  });
  const told = client.log.flatMap(({ answer }) => (answer?.status === 503 ? [answer] : []));
  const writtenBefore = client.log.filter(({ answer }) => answer?.status === 201).length;
  await site.killAll();
  await site.start();
  expect(site.violations, 'after the restart').toEqual([]);
  await site.finish();
  const captured = site.captured();
  await site.close();
  expect(site.violations, 'in the end').toEqual([]);
  return { told, writtenBefore, captured };
}

describe('a server whose database cannot be written any more', () => {
  it.skipIf(process.platform === 'win32').each([
    // The kernel lets no file grow beyond it.
    ['because the disk is full', { maxFileBytes: 512 * 1024 }],
    ['because a commit failed', { failingCommit: 40 }],
  ])(
    '%s says so, and has lost nothing when it is started again',
    async (_, options) => {
      const { told, writtenBefore, captured } = await failAndRecover(options);
      expect(writtenBefore).toBeGreaterThan(0);
      expect(captured).toBeGreaterThan(writtenBefore / 2);
      const outcomes = told.map(({ outcome }) => outcome);
      // The one that failed is unknown to all in it; what comes later is certainly not written.
      expect(outcomes).toContain('unknown');
      expect(outcomes).toContain('notApplied');
      for (const { retry } of told) expect(retry).toBe('retrySameRequestAfterDelay');
    },
    5 * minute,
  );
});
