import { expect, test } from 'vitest';
import type { Outcome } from '../src/job.ts';
import { generate, noLoad } from '../src/load.ts';
import { ratio } from '../src/report.ts';
import { openEcho } from '../src/targets/echo.ts';

const hourSeconds = 3600;

test('a machine that ends all requests during the warm-up is measured', async () => {
  const { ports, requests, close } = await openEcho();
  const load = await generate({
    ports,
    connections: 2,
    warmUpSeconds: hourSeconds,
    seconds: hourSeconds,
    requests: Array.from({ length: 40 }, () => requests[0]).flatMap((request) => request ?? []),
    repeats: false,
  });
  await close();

  expect(load).toMatchObject({ answered: 40, wrong: 0 });
  expect(load.rate).toBeGreaterThan(0);
});

test('a run without measurements is left out of the comparison', () => {
  const outcome = (rate: number): Outcome => ({
    load: { ...noLoad, rate },
    commits: 0,
    cpuMicroseconds: 0,
    faults: [],
  });
  const rounds = new Map([
    ['ours', [outcome(6), outcome(0), outcome(3)]],
    ['floor', [outcome(0), outcome(10), outcome(10)]],
    ['none', [outcome(0)]],
  ]);

  expect(ratio(rounds, 'ours', 'floor')).toBe(0.3);
  expect(ratio(rounds, 'ours', 'none')).toBeUndefined();
  expect(ratio(rounds, 'ours', 'absent')).toBeUndefined();
});
