import type { Harness } from '@chairside/trials';
import { compare } from './compare.ts';
import { live } from './live.ts';

/** Runs seed after seed, until one differs from plain arithmetic. */
export async function shareSeeds(harness: Harness, seeds: number, from = 1) {
  const sums = { seeds: 0, requests: 0, succeeded: 0, kills: 0, sharings: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const lived = await live(harness, seed);
    const faults = await compare(lived);
    await lived.world.close?.();
    sums.seeds += 1;
    sums.requests += lived.counts.requests;
    sums.succeeded += lived.counts.succeeded;
    sums.kills += lived.counts.kills;
    sums.sharings += lived.sharings.size;
    if (faults.length > 0) return { ...sums, seed, faults };
  }
  return { ...sums, faults: [] };
}
