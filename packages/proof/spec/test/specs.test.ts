import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { specs } from '../src/specs.ts';
import { workedExample } from '../src/worked-example.ts';

const offered = specs.map((load) => /test\/([^'"]+)/.exec(`${load}`)?.[1] ?? '');

it('offers every file of specs that runs over other adapters', () => {
  const folder = import.meta.dirname;
  const files = globSync('*.spec.ts', { cwd: folder }).filter((file) =>
    /^describe(Everywhere|WithEveryProcessor)\(/m.test(readFileSync(`${folder}/${file}`, 'utf8')),
  );
  expect(offered.toSorted()).toEqual(files.sort());
});

it('offers no file that reads this repository, which an installed package lacks', () => {
  const reading = offered.filter((file) =>
    /\b(?:import\.meta|node:fs)\b/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
  );
  expect(reading).toEqual([]);
});

it('plays the worked example that the guide to refunds shows', () => {
  const guide = readFileSync(`${import.meta.dirname}/../../../../docs/guide/refunds.md`, 'utf8');
  const [, example = ''] = guide.split('## A worked example');
  const rows = [...example.matchAll(/^\| \d+ +\|(.*)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  expect(rows).toEqual(workedExample);
});
