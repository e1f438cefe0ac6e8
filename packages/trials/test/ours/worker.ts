import { parentPort, workerData } from 'node:worker_threads';
import { type Progress, simulate } from '@chairside/trials';
import { catchBug } from '../bugs/catch.ts';
import { plant } from '../bugs/mutants.ts';
import { plantedBugs } from '../bugs/planted-bugs.ts';
import { harnesses, mapHarness, usesStripe } from './harness.ts';
import { watchWire } from './watch-wire.ts';
import type { Job, Report } from './workers.ts';

const job: Job = workerData;
const tell = (message: unknown) => parentPort?.postMessage(message);

if (job.does === 'simulate') {
  const { harness, isControl, ...seeds } = job;
  const wire = usesStripe(harness) ? watchWire(isControl) : undefined;
  const tellReport = (report: Progress) => {
    wire?.check();
    tell({ ...report, ...(wire && { wire: wire.counts() }) } satisfies Report);
  };
  const onProgress = (progress: Progress) => {
    if (progress.runs % 20 === 0) tellReport(progress);
  };
  tellReport(await simulate({ harness: harnesses[harness], ...seeds, onProgress }));
} else if (job.does === 'shrink') {
  const { bug, ...seeds } = job;
  const planted = plantedBugs.find(({ name }) => name === bug);
  if (planted === undefined) throw new Error(`there is no bug ${bug}`);
  const { serveHttp: _, ...inProcess } = mapHarness;
  const harness = { ...inProcess, createChairside: await plant(planted) };
  tell(await simulate({ harness, ...seeds }));
} else {
  for (const bug of plantedBugs) if (job.bugs.includes(bug.name)) tell(await catchBug(bug));
}
