import { expect, it } from 'vitest';
import type { Catch } from './bugs/catch.ts';
import { simulatedBugs } from './bugs/planted-bugs.ts';
import { inThread, threads } from './ours/workers.ts';

it('finds each planted bug by its run, or by another one (D100)', async () => {
  const names = simulatedBugs.map(({ name }) => name);
  const waiting = [...names];
  const catches: Catch[] = [];
  const takeNext = async (): Promise<void> => {
    // Some at a time: they share the modules of one thread.
    const bugs = waiting.splice(0, 8);
    if (bugs.length === 0) return;
    await inThread<Catch>({ does: 'showAgain', bugs }, (caught) => catches.push(caught));
    await takeNext();
  };
  await Promise.all(Array.from({ length: threads }, takeNext));

  // A change of the core may move calls, so that another run shows a bug: then the list names that one.
  const stale = catches.filter(({ violation }) => violation === undefined).map(({ bug }) => bug);
  if (stale.length > 0) {
    console.log(`find by \`simulate --bugs\` a new run for ${stale.join(', ')}`);
    await inThread<Catch>({ does: 'catch', bugs: stale }, (caught) => catches.push(caught));
  }
  const found = catches.filter(({ violation }) => violation !== undefined).map(({ bug }) => bug);
  expect(found.toSorted()).toEqual(names.toSorted());
}, 1_800_000);
