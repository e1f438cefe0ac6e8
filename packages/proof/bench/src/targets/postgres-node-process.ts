import { answerParent } from '../child.ts';
import { meterCpu, startProfile } from '../machine.ts';
import { type Finish, type NodeReport, type NodeTask, services } from './postgres-node.ts';

let finish: ((last: Finish) => Promise<NodeReport>) | undefined;

answerParent<NodeTask | Finish>(async (message) =>
  'measured' in message ? finish?.(message) : start(message),
);

async function start({ kind, connectionString, profile }: NodeTask): Promise<number> {
  const node = await services[kind].serve(connectionString);
  const stopProfile = await startProfile(profile);
  const cpuIn = meterCpu();
  finish = async ({ measured }) => {
    const cpuMicrosecondsASecond = cpuIn(measured);
    await stopProfile();
    const report = { cpuMicrosecondsASecond, takenMinor: node.takenMinor() };
    await node.close();
    return report;
  };
  return node.port;
}
