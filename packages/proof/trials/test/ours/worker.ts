import { parentPort, workerData } from 'node:worker_threads';
import { type Progress, simulate } from '@chairside/trials';
import { catchBug, showAgain } from '../bugs/catch.ts';
import { plant } from '../bugs/mutants.ts';
import type { PlantedBug } from '../bugs/planted-bug.ts';
import { plantedBugs } from '../bugs/planted-bugs.ts';
import { findInHistories } from '../histories/planted.ts';
import { harnesses, usesStripe } from './harness.ts';
import { watchWire } from './watch-wire.ts';
import type { Job, Report } from './workers.ts';

const job: Job = workerData;
const tell = (message: unknown) => parentPort?.postMessage(message);

if (job.does === 'simulate') {
  const { harness, isControl, ...seeds } = job;
  const wire = usesStripe(harness) ? watchWire(isControl) : undefined;
  const tellReport = (report: Progress) => {
    wire?.check();
    tell({ ...report, wire: wire?.checked() ?? 0 } satisfies Report);
  };
  const onProgress = (progress: Progress) => {
    if (progress.runs % 20 === 0) tellReport(progress);
  };
  tellReport(await simulate(harnesses[harness], { ...seeds, onProgress }));
} else if (job.does === 'shrink') {
  const { bug, ...seeds } = job;
  tell(await simulate(await plant(find(bug)), seeds));
} else if (job.does === 'judge') {
  for (const bug of job.bugs) tell(await findInHistories(bug));
} else if (job.does === 'catch') {
  for (const bug of job.bugs) tell(await catchBug(find(bug)));
} else {
  for (const bug of job.bugs) tell(await showAgain(find(bug)));
}
// With a bug, a request may never end: its deadline would hold the thread for a minute.
process.exit();

function find(bug: string): PlantedBug {
  const planted = plantedBugs.find(({ name }) => name === bug);
  if (planted === undefined) throw new Error(`there is no bug ${bug}`);
  return planted;
}
