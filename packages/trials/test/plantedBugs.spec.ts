import { expect, it } from 'vitest';
import type { Catch } from './bugs/catch.ts';
import { noticed } from './bugs/noticed.ts';
import { plantedBugs } from './bugs/planted-bugs.ts';
import { inThread, threads } from './ours/workers.ts';

it(`finds each of ${noticed.length} planted bugs`, async () => {
  const waiting = plantedBugs.map(({ name }) => name).filter((name) => noticed.includes(name));
  const catches: Catch[] = [];
  const takeNext = async (): Promise<void> => {
    const name = waiting.shift();
    if (name === undefined) return;
    await inThread<Catch>({ does: 'catch', bugs: [name] }, (caught) => catches.push(caught));
    await takeNext();
  };
  await Promise.all(Array.from({ length: threads }, takeNext));

  for (const { bug, by = 'NOT NOTICED', violation } of catches) {
    console.log(`${by.padEnd(12)} ${bug.padEnd(32)} ${violation?.what.slice(0, 100) ?? ''}`);
  }
  console.log(`${catches.reduce((sum, { runs }) => sum + runs, 0)} runs`);
  expect(catches.filter(({ by }) => by === undefined)).toEqual([]);
  expect(catches).toHaveLength(noticed.length);
  expect(plantedBugs.length).toBeGreaterThanOrEqual(60);
}, 600_000);
