import { expect, it } from 'vitest';
import { sweepBrowser } from './browser-sweep.ts';
import { findChromium, howToInstall } from './chromium.ts';

const executablePath = findChromium();

// A part of `pnpm sweep --chromium`, which kills every card at every await and in pairs.
it('an app in a real page, killed anywhere, charges once', {
  timeout: 300_000,
}, async (context) => {
  if (executablePath === undefined) return context.skip(howToInstall);
  const faults: string[] = [];
  let runs = 0;
  for await (const row of sweepBrowser(executablePath, [
    { card: 'visa_credit', killStep: 1, crashes: ['before', 'after'] },
    { card: 'declined_then_approved', killStep: 8, crashes: [] },
  ])) {
    faults.push(...row.faults);
    runs += row.runs;
  }
  expect(faults).toEqual([]);
  expect(runs).toBeGreaterThan(25);
});
