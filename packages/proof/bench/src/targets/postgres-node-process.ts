import { once } from 'node:events';
import { profiled } from '../profile.ts';
import type { Kind, ServedNode } from './over-postgres.ts';
import { createRun, serveByHand } from './postgres-by-hand.ts';
import { serveChairside } from './postgres-chairside.ts';
import { createGroupedRun } from './postgres-grouped.ts';
import type { NodeReport, NodeTask } from './postgres-node.ts';

process.on('disconnect', () => process.exit());
const [message] = await once(process, 'message');
const task = message as NodeTask; // cast: the parent runs the same version of this code
const kinds: Readonly<Record<Kind, (connectionString: string) => Promise<ServedNode>>> = {
  byHand: (connectionString) => serveByHand(connectionString, createRun),
  grouped: (connectionString) => serveByHand(connectionString, createGroupedRun),
  chairside: serveChairside,
};
const node = await kinds[task.kind](task.connectionString);

const report: NodeReport = await profiled(task.profile, async () => {
  const before = process.cpuUsage();
  process.send?.(node.port);
  await once(process, 'message');
  const { user, system } = process.cpuUsage(before);
  return { cpuMicroseconds: user + system, takenMinor: node.takenMinor() };
});
await node.close();
process.send?.(report, () => process.exit());
