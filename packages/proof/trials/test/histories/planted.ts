import { type Finding, judge, parseHistory } from '@chairside/judge';
import { plant } from '../bugs/mutants.ts';
import type { Planted } from '../bugs/planted-bug.ts';
import { plantedBugs } from '../bugs/planted-bugs.ts';
import { simulateHistory } from './of-simulation.ts';

/** A bug of the core, with the finding of the judge that must show it. */
export interface HistoryBug {
  readonly bug: Planted;
  readonly shows: Finding['what'];
}

/** Each must show in the responses to clients alone. */
export const historyBugs: Readonly<Record<string, HistoryBug>> = {
  capturedTwice: { bug: known('neitherReservedNorCompared'), shows: 'notLinearizable' },
  acknowledgementLost: {
    bug: {
      name: 'captureNotWritten',
      edits: [
        {
          file: 'core/frame/commit.ts',
          find: 'let result = await ports.store.commit({ id, at, changes });',
          replace: `const isCapture = changes.some(({ payment }) => payment?.state === 'captured');
let result = isCapture ? ok() : await ports.store.commit({ id, at, changes });`,
        },
      ],
    },
    shows: 'notLinearizable',
  },
  staleRead: {
    bug: {
      name: 'firstReadRepeated',
      edits: [
        {
          file: 'core/payment/operations.ts',
          find: 'export interface PaymentTimeline {',
          replace: 'const firstReads = new Map();\nexport interface PaymentTimeline {',
        },
        {
          file: 'core/payment/operations.ts',
          find: 'return ports.shares === undefined ? viewPayment(payment) : viewShared(payment);',
          // Secrets differ between seeds, and ids do not.
          replace: `const { clientSecret } = payment;
if (!firstReads.has(clientSecret)) firstReads.set(clientSecret, viewPayment(payment));
return firstReads.get(clientSecret);`,
        },
      ],
    },
    shows: 'notLinearizable',
  },
  answerChanged: { bug: known('answerFromTheCurrentState'), shows: 'answerChanged' },
  deniedLater: { bug: known('notAppliedAfterDone'), shows: 'deniedLater' },
};

function known(name: string): Planted {
  const planted = plantedBugs.find((one) => one.name === name);
  if (planted === undefined) throw new Error(`there is no bug ${name}`);
  return planted;
}

export interface Judged {
  readonly name: string;
  /** The first seed whose history shows the bug; absent if none does. */
  readonly seed?: number;
  readonly finding?: Finding;
}

const maxSeeds = 60;

/** Simulates a core with the bug until a history shows it. */
export async function findInHistories(name: string): Promise<Judged> {
  const planted = historyBugs[name];
  if (planted === undefined) throw new Error(`there is no bug ${name}`);
  const harness = await plant(planted.bug);
  for (let seed = 1; seed <= maxSeeds; seed += 1) {
    const lines = await simulateHistory(harness, seed, 100);
    const history = parseHistory(lines.map((line) => JSON.stringify(line)).join('\n'));
    const finding = judge(history).find(({ what }) => what === planted.shows);
    if (finding !== undefined) return { name, seed, finding };
  }
  return { name };
}
