import type { Job, Load } from './job.ts';
import { percentile } from './report/stats.ts';
import type { Driven } from './targets/target.ts';

/** Keeps the given number of callers busy in this process. */
export async function drive(target: Driven, job: Job): Promise<Load> {
  const latencies: number[] = [];
  const warmAt = performance.now() + job.warmUpSeconds * 1000;
  const endsAt = warmAt + job.seconds * 1000;
  let steps = 0;
  let lastAt = warmAt;

  const caller = async () => {
    for (let at = performance.now(); at < endsAt; at = performance.now()) {
      await target.step();
      steps += 1;
      const now = performance.now();
      if (now < warmAt || now >= endsAt) continue;
      latencies.push(now - at);
      lastAt = now;
    }
  };
  await Promise.all(Array.from({ length: job.connections }, caller));

  latencies.sort((a, b) => a - b);
  const measured = latencies.length * target.requestsPerStep;
  return {
    answered: steps * target.requestsPerStep,
    wrong: 0,
    rate: lastAt > warmAt ? (measured / (lastAt - warmAt)) * 1000 : 0,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
