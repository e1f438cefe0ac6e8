import { judge, parseHistory } from '@chairside/judge';
import { expect, it } from 'vitest';
import { crash } from './crash/run.ts';
import { historyOfCrash } from './histories/of-crash.ts';
import { simulateHistory } from './histories/of-simulation.ts';
import { historyBugs, type Judged } from './histories/planted.ts';
import { mapHarness } from './ours/harness.ts';
import { inThread } from './ours/workers.ts';

const minute = 60_000;

const findings = (lines: readonly object[]) =>
  judge(parseHistory(lines.map((line) => JSON.stringify(line)).join('\n')));

it(
  'finds no contradiction in the histories of 40 simulated seeds',
  async () => {
    let lines = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const history = await simulateHistory(mapHarness, seed, 60);
      lines += history.length;
      expect(findings(history), `seed ${seed}`).toEqual([]);
    }
    expect(lines).toBeGreaterThan(5000);
  },
  10 * minute,
);

it(
  'finds no contradiction in the history of killed servers',
  async () => {
    const histories: object[][] = [];
    const onHistory = (_: number, log: Parameters<typeof historyOfCrash>[0]) =>
      void histories.push(historyOfCrash(log));
    await crash({ cycles: 3, seed: 5, servers: 2, onHistory });
    expect(histories.flatMap(findings)).toEqual([]);
    expect(histories.flat().length).toBeGreaterThan(200);
  },
  10 * minute,
);

it(
  'finds each planted bug from the history alone',
  async () => {
    const judged: Judged[] = [];
    const bugs = Object.keys(historyBugs);
    await inThread<Judged>({ does: 'judge', bugs }, (one) => judged.push(one));
    console.log(judged.map(({ name, seed }) => `${name}: seed ${seed}`).join(', '));
    expect(judged.filter(({ finding }) => finding !== undefined).map(({ name }) => name)).toEqual(
      bugs,
    );
  },
  10 * minute,
);
