// Moves a group in a process that is killed after a step.
import { Pool } from 'pg';
import { openDirectory } from '../src/directory.ts';
import { moveGroup } from '../src/move.ts';

const [home = '', a = '', b = '', last = ''] = process.argv.slice(2);
const servers = new Map([
  ['a', new Pool({ connectionString: a })],
  ['b', new Pool({ connectionString: b })],
]);
await moveGroup({
  directory: await openDirectory(new Pool({ connectionString: home })),
  servers,
  group: 'north',
  to: 'b',
  onStep(step) {
    if (step === last) process.kill(process.pid, 'SIGKILL');
  },
});
process.exit();
