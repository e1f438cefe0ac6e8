// Runs the contract over every wrong adapter: `wrong-stores.test.ts` starts it, and reads what failed.
import { storeContract } from '../../src/contracts.ts';
import { overALine } from './over-a-line.ts';
import { wrongStores } from './stores.ts';

const reason = 'the store of this fault is in memory';
const noLock = { hold: 'a Map has no locks' };
const noServer = { ...noLock, loseReply: reason, stall: reason, kill: reason, restart: reason };
const runs = Number(process.env['CHAIRSIDE_RUNS'] ?? 1);

for (let run = 1; run <= runs; run += 1) {
  for (const { fault, open } of wrongStores) {
    const hasServer = open().loseReply !== undefined;
    const name = `Run ${run}: a store that ${fault}`;
    storeContract(name, async () => open(), hasServer ? noLock : noServer);
  }
}
storeContract('Run 0: a store over a line, which is right,', async () => overALine()(), noLock);
