import { answerParent } from '../child.ts';
import { startProfile } from '../machine.ts';
import { type NodeReport, type NodeTask, services } from './postgres-node.ts';

let finish: (() => Promise<NodeReport>) | undefined;

answerParent<NodeTask | 'finish'>(async (message) =>
  message === 'finish' ? finish?.() : start(message),
);

async function start({ kind, connectionString, profile }: NodeTask): Promise<number> {
  const node = await services[kind].serve(connectionString);
  const stopProfile = await startProfile(profile);
  const before = process.cpuUsage();
  finish = async () => {
    const { user, system } = process.cpuUsage(before);
    await stopProfile();
    const report = { cpuMicroseconds: user + system, takenMinor: node.takenMinor() };
    await node.close();
    return report;
  };
  return node.port;
}
