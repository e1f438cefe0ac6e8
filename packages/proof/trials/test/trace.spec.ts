import { describe, expect, it } from 'vitest';
import { proofOf } from './crash/trace.ts';

const write = 'pwrite64(23</tmp/x/chairside.db-wal>, "\\0"..., 4096, 255496) = 4096';
const sync = 'fsync(23</tmp/x/chairside.db-wal>) = 0';
const send =
  'writev(26<socket:[72]>, [{iov_base="HTTP/1.1 201 \\r\\ncache-control"..., iov_len=7}], 1) = 7';

const isDurable = (...trace: string[]) => proofOf(trace, 'HTTP/1.1 201').isDurable;

describe('a trace proves that a response was on the disk before it was sent', () => {
  it('if the log was written, synced, and the response sent', () => {
    expect(proofOf([write, sync, send], 'HTTP/1.1 201')).toEqual({
      answer: 'HTTP/1.1 201',
      lines: [write, sync, send],
      isDurable: true,
    });
  });

  it.each([
    ['it was synced too late', [write, send, sync]],
    ['more was written after the sync', [write, sync, write, send]],
    ['it was not synced', [write, send]],
    ['the sync failed', [write, sync.replace('= 0', '= -1 EIO (Input/output error)'), send]],
    ['another file was synced', [write, sync.replace('-wal', ''), send]],
    ['nothing was written', [sync, send]],
    ['another answer was sent', [write, sync, send.replace('201', '200')]],
    ['there is no trace', []],
  ])('but not if %s', (_, trace) => {
    expect(isDurable(...trace)).toBe(false);
  });
});
