import { expect, it } from 'vitest';
import { cardNames, type SweptCard } from './cards.ts';
import type { ProcessorName } from './shop.ts';
import { sweepStops } from './stops.ts';
import { sweep } from './sweep.ts';

// A part of `pnpm trial sweep`, which plays every run over both processors.
const parts: readonly (readonly [ProcessorName, readonly SweptCard[]])[] = [
  ['fake processor', cardNames],
  ["Stripe's stand-in", ['visa_credit', 'slow_to_approve']],
];

it.each(parts)(
  'over %s an app killed anywhere charges once',
  { timeout: 600_000 },
  async (processor, cards) => {
    const faults: string[] = [];
    let runs = 0;
    for await (const row of sweep(processor, { pairStep: 1000, worldStep: 8, cards })) {
      faults.push(...row.faults);
      runs += row.runs;
    }
    expect(faults).toEqual([]);
    expect(runs).toBeGreaterThan(200);
  },
);

it('a payment that is stopped around the tap drops no approved card', async () => {
  const faults: string[] = [];
  for await (const row of sweepStops(50)) faults.push(...row.faults);
  expect(faults).toEqual([]);
}, 600_000);
