// Runs the contract over every wrong adapter: `wrong-processors.test.ts` starts it, and reads what failed.
import { processorContract } from '@chairside/testkit/contracts';
import { without } from '../without.ts';
import { wrongProcessors } from './processors.ts';

const runs = Number(process.env['CHAIRSIDE_RUNS'] ?? 1);

for (let run = 1; run <= runs; run += 1) {
  for (const { fault, open } of wrongProcessors) {
    processorContract(`Run ${run}: a processor that ${fault},`, open, without);
  }
}
