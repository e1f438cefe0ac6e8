// The thread of `checkpoint-thread.ts`: copies the WAL into the database file on request and reports
// the result. PASSIVE waits for no lock and blocks no other connection. JavaScript, so that the same
// literal address finds it in the sources and in the built package.
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const db = new BetterSqlite3(workerData.path, { fileMustExist: true });
db.pragma('synchronous = FULL');
db.pragma('fullfsync = ON');
const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (/** @type {'checkpoint' | 'close'} */ request) => {
  if (request === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(checkpoint());
});

/** An error loses its code on the way to another thread, so the two travel as data. */
function checkpoint() {
  try {
    passive.all();
    return {};
  } catch (error) {
    if (!(error instanceof BetterSqlite3.SqliteError)) throw error;
    return { failed: { code: error.code, message: error.message } };
  }
}
