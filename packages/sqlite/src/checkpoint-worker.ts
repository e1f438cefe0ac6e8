import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

// The thread of `checkpointer.ts`: moves what is in the WAL into the database file when it is told
// to, and says when it is done. PASSIVE waits for nobody and holds nobody up.
const { path }: { readonly path: string } = workerData;
const db = new BetterSqlite3(path, { fileMustExist: true });
db.pragma('synchronous = FULL');
db.pragma('fullfsync = ON');
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (what: 'checkpoint' | 'close') => {
  if (what === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  checkpoint.all();
  parentPort?.postMessage('done');
});
