// The thread of `checkpoint-thread.ts`: copies the WAL into the database file on request and reports
// the result. PASSIVE waits for no lock and blocks no other connection. JavaScript, so that the same
// literal address finds it in the sources and in the built package.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const { path, ground } = workerData;
/** @type {import('better-sqlite3').Database | undefined} */
let db;

parentPort?.on('message', (/** @type {'checkpoint' | 'close'} */ request) => {
  if (request === 'close') {
    db?.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(checkpoint());
});

/**
 * An error loses its code on the way to another thread, so the two travel as data. Opened after the first look:
 * the path of a lost file may lead to another database.
 */
function checkpoint() {
  try {
    const lost = lostFile();
    if (lost !== undefined) return { lost };
    db ??= open();
    const { log, checkpointed } = Object(db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get());
    return { held: Number(log) - Number(checkpointed) };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { failed: { code: error.code, message: error.message } };
  }
}

function open() {
  const opened = new BetterSqlite3(path, { fileMustExist: true });
  opened.pragma('synchronous = FULL');
  opened.pragma('fullfsync = ON');
  return opened;
}

/** As `ground.ts` has it. Throws errors of the file system. */
function lostFile() {
  for (const file of ground) {
    const now = statSync(file.path, { bigint: true, throwIfNoEntry: false });
    if (now === undefined || now.ino !== file.ino || now.dev !== file.dev) return file.path;
  }
  return undefined;
}
