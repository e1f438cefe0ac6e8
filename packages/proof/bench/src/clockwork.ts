// A thread that waits exactly, for `createWait`.
import { parentPort } from 'node:worker_threads';
import { now } from './visits.ts';

const never = new Int32Array(new SharedArrayBuffer(4));
const waitFor = (due: number) => {
  Atomics.wait(never, 0, 0, Math.max(0, due - now()));
  parentPort?.postMessage(due);
};
parentPort?.on('message', (due) => setTimeout(waitFor, Math.max(0, due - now() - 2), due));
