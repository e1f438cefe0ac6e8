// Runs the contract over every wrong adapter: `wrong-charges.test.ts` starts it, and reads what failed.
import { processorContract } from '@chairside/testkit/contracts';
import { over, without, wrongCharges } from './processors.ts';

for (const { fault, authorize } of wrongCharges) {
  processorContract(`Run 1: a processor that ${fault},`, () => over(authorize), without);
}
