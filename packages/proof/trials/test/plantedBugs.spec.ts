import { expect, it } from 'vitest';
import type { Catch } from './bugs/catch.ts';
import { plantedBugs } from './bugs/planted-bugs.ts';
import { readTable } from './bugs/table.ts';
import { inThread, threads } from './ours/workers.ts';

const rows = readTable();

it('has a row for every planted bug', () => {
  expect(rows.map(({ bug }) => bug)).toEqual(plantedBugs.map(({ name }) => name));
  expect(plantedBugs.length).toBeGreaterThanOrEqual(60);
});

it('finds each planted bug, by the run in its row if it still shows it (D100)', async () => {
  const waiting = [...rows];
  const catches: Catch[] = [];
  const takeNext = async (): Promise<void> => {
    // Some at a time: they share the modules of one thread.
    const some = waiting.splice(0, 8).map(({ bug, by }) => ({ bug, by }));
    if (some.length === 0) return;
    await inThread<Catch>({ does: 'showAgain', bugs: some }, (caught) => catches.push(caught));
    await takeNext();
  };
  await Promise.all(Array.from({ length: threads }, takeNext));

  // A change of the core may move calls, so that another run shows a bug: then the table is made anew.
  const stale = catches.filter(({ violation }) => violation === undefined).map(({ bug }) => bug);
  if (stale.length > 0) {
    console.log(`make the table anew, for ${stale.join(', ')}`);
    await inThread<Catch>({ does: 'catch', bugs: stale }, (caught) => catches.push(caught));
  }
  const found = catches.filter(({ violation }) => violation !== undefined).map(({ bug }) => bug);
  expect(found.toSorted()).toEqual(rows.map(({ bug }) => bug).toSorted());
}, 600_000);
