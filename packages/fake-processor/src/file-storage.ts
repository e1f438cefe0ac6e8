import { randomUUID } from 'node:crypto';
import { createMemoryStorage, type FakeStorage, type StorageWrite } from './storage.ts';

/** The first line. A file without it belongs to another program, and stays as it is. */
const header = /^\{"fakeProcessor":1,"seed":"([\w-]{1,64})"\}$/;
const headerOf = (seed: string) => `{"fakeProcessor":1,"seed":"${seed}"}\n`;
const startOfHeader = headerOf('').slice(0, -3);

/** Opening the file writes it anew if it has more old records than this, and than present ones. */
const maxOldRecords = 1000;

export interface FileStorage {
  readonly storage: FakeStorage;
  /** Random for each file: a fake whose file was deleted must not give an old id again. */
  readonly seed: string;
}

interface Held {
  readonly inode: number;
  readonly seed: string;
  /** The bytes of its whole lines. */
  size: number;
  written: number;
  readonly memory: FakeStorage;
  /** The present records, in the order of their first write. */
  readonly records: Map<string, StorageWrite>;
}

/**
 * Opens the file, or makes it. A line of it holds the records of one write, and is on the disk before
 * the write returns, so a process that dies leaves all of them or none. Another process may read the
 * file meanwhile; only one should write. Throws an error for a person.
 */
export function openFileStorage(path: string): FileStorage {
  // Not imported: bundles for platforms without files contain this module too.
  const fs = process.getBuiltinModule('node:fs');
  // It holds client secrets, so only its owner may read it.
  const whole = { mode: 0o600, flush: true };

  fs.closeSync(fs.openSync(path, 'a', whole.mode));
  let held = load();
  // A process has died while it wrote the last line, so nobody got a reply.
  if (fs.statSync(path).size > held.size) fs.truncateSync(path, held.size);
  if (held.written > Math.max(maxOldRecords, 2 * held.records.size)) rewrite();

  function load(): Held {
    const bytes = fs.readFileSync(path);
    const [first = '', ...lines] = bytes.toString().split('\n');
    const seed = header.exec(first)?.[1];
    if (seed === undefined) {
      // Only its beginning was written, if anything.
      if (lines.length > 0 || !startOfHeader.startsWith(first.slice(0, startOfHeader.length))) {
        throw new Error('it is not the file of a fake processor');
      }
      fs.writeFileSync(path, headerOf(randomUUID()), whole);
      return load();
    }
    const size = bytes.lastIndexOf('\n') + 1;
    const memory = createMemoryStorage();
    const { ino: inode } = fs.statSync(path);
    const read: Held = { inode, seed, size, written: 0, memory, records: new Map() };
    for (const line of lines.slice(0, -1)) apply(read, JSON.parse(line));
    return read;
  }

  function apply(to: Held, writes: readonly StorageWrite[]): void {
    to.memory.write(writes);
    for (const write of writes) to.records.set(`${write.collection}\n${write.id}`, write);
    to.written += writes.length;
  }

  /** Keeps the present records only, under another name until all are written. */
  function rewrite(): void {
    const lines = [...held.records.values()].map((write) => `${JSON.stringify([write])}\n`);
    fs.writeFileSync(`${path}.new`, [headerOf(held.seed), ...lines].join(''), whole);
    fs.renameSync(`${path}.new`, path);
    held = load();
  }

  /** Another process may have written since. */
  function latest(): Held {
    const { ino, size } = fs.statSync(path);
    if (ino !== held.inode || size !== held.size) held = load();
    return held;
  }

  return {
    seed: held.seed,
    storage: {
      get: (collection, id) => latest().memory.get(collection, id),
      list: (collection, group) => latest().memory.list(collection, group),
      write(writes) {
        const now = latest();
        const line = `${JSON.stringify(writes)}\n`;
        try {
          fs.appendFileSync(path, line, whole);
        } catch (thrown) {
          // On a full disk a part of it may be there.
          fs.truncateSync(path, now.size);
          throw thrown;
        }
        now.size += Buffer.byteLength(line);
        apply(now, writes);
      },
    },
  };
}
