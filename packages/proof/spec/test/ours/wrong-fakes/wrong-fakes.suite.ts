// Runs the contract over every wrong adapter: `wrong-fakes.test.ts` starts it, and reads what failed.
import { processorContract } from '@chairside/testkit/contracts';
import { over, wrongFakes } from './processors.ts';

for (const { fault, change } of wrongFakes) {
  processorContract(`Run 1: a processor that ${fault},`, () => over(change));
}
