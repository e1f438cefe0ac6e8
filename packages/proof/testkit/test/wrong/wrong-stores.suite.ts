// Runs the contract over every wrong adapter: `wrong-stores.test.ts` starts it, and reads what failed.
import { type StoreCapability, type StoreUnderTest, storeContract } from '../../src/contracts.ts';
import { overADisk } from './over-a-disk.ts';
import { overALine } from './over-a-line.ts';
import { wrongStores } from './stores.ts';

const reason = 'the store of this fault has nothing of the kind';
/** The abilities that only some of these stores have. */
const abilities = [
  'second',
  ...(['hold', 'loseReply', 'cutOff', 'delayRequest', 'stall', 'kill', 'restart'] as const),
  'failFlush',
] as const;

function lackedBy(subject: StoreUnderTest): Partial<Record<StoreCapability, string>> {
  const lacked = abilities.filter((ability) => subject[ability] === undefined);
  return Object.fromEntries(lacked.map((ability) => [ability, reason]));
}

const runs = Number(process.env['CHAIRSIDE_RUNS'] ?? 1);

for (let run = 1; run <= runs; run += 1) {
  for (const { fault, open } of wrongStores) {
    const name = `Run ${run}: a store that ${fault}`;
    storeContract(name, async () => open(), lackedBy(open()));
  }
}
storeContract(
  'Run 0: a store over a line, which is right,',
  async () => overALine()(),
  lackedBy(overALine()()),
);
storeContract(
  'Run 0: a store over a disk, which is right,',
  async () => overADisk()(),
  lackedBy(overADisk()()),
);
