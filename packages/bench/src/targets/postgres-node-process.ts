import { once } from 'node:events';
import { profiled } from '../profile.ts';
import { serveByHand } from './postgres-by-hand.ts';
import { serveChairside } from './postgres-chairside.ts';
import type { NodeReport, NodeTask } from './postgres-node.ts';

process.on('disconnect', () => process.exit());
const [message] = await once(process, 'message');
const task = message as NodeTask; // cast: the parent runs the same version of this code
const serve = task.kind === 'byHand' ? serveByHand : serveChairside;
const node = await serve(task.connectionString);

const report: NodeReport = await profiled(task.profile, async () => {
  const before = process.cpuUsage();
  process.send?.(node.port);
  await once(process, 'message');
  const { user, system } = process.cpuUsage(before);
  return { cpuMicroseconds: user + system, takenMinor: node.takenMinor() };
});
await node.close();
process.send?.(report, () => process.exit());
