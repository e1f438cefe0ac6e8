import { expect, it } from 'vitest';
import { sweepBrowser } from './browser-sweep.ts';
import { findChromium, howToInstall } from './chromium.ts';

const executablePath = findChromium();

// A part of `pnpm trial sweep --chromium`, which plays every pair and kills the server for each card.
it('an app in a real page, killed anywhere, charges once', {
  timeout: 900_000,
}, async (context) => {
  if (executablePath === undefined) return context.skip(howToInstall);
  const faults: string[] = [];
  let runs = 0;
  for await (const row of sweepBrowser(executablePath, {
    killStep: 10,
    pairStep: 1000,
    crashes: ['visa_credit'],
    crashTimes: ['before', 'after'],
  })) {
    faults.push(...row.faults);
    runs += row.runs;
  }
  expect(faults).toEqual([]);
  expect(runs).toBeGreaterThan(70);
});
