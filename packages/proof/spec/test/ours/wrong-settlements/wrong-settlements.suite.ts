// Runs the contract over every wrong adapter: `wrong-settlements.test.ts` starts it, and reads what failed.
import { processorContract } from '@chairside/testkit/contracts';
import { over, wrongSettlements } from './processors.ts';

for (const { fault, settlements } of wrongSettlements) {
  processorContract(`Run 1: a processor that ${fault},`, () => over(settlements));
}
