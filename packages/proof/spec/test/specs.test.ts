import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { specs } from '../src/specs.ts';

it('offers every file of specs that runs over other adapters', () => {
  const folder = import.meta.dirname;
  const files = globSync('*.spec.ts', { cwd: folder }).filter((file) =>
    /^describe(Everywhere|WithEveryProcessor)\(/m.test(readFileSync(`${folder}/${file}`, 'utf8')),
  );
  const offered = specs.map((load) => /test\/([^'"]+)/.exec(`${load}`)?.[1]);
  expect(offered.sort()).toEqual(files.sort());
});
