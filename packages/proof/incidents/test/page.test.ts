import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;
const page = join(folder, '../../../../docs/guide/incidents.md');

it('the page has a row for each thread with a test, and no other row names a test', () => {
  const tested = globSync('*.test.ts', { cwd: folder }).flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const threads = [...source.matchAll(/^it\('(\S+ #\d+): /gm)].map(([, thread = '']) => thread);
    return [...new Set(threads)].map((thread) => `${thread} in ${file}`);
  });
  const rows = readFileSync(page, 'utf8').matchAll(
    /^\| (\S+ #\d+) .*\| (?:none|\[.*test\/(.*)\)) +\|$/gm,
  );
  const threads = [...rows].map(([, thread = '', file]) => ({ thread, file }));
  expect(threads).toHaveLength(13);
  const named = threads.flatMap(({ thread, file }) =>
    file === undefined ? [] : `${thread} in ${file}`,
  );
  expect(named.toSorted()).toEqual(tested.toSorted());
});
