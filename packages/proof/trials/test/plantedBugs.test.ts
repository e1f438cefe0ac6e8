import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { edited, urlOf } from './bugs/edit.ts';
import { plantedBugs } from './bugs/planted-bugs.ts';

it('finds the snippet of every planted bug once, in the file that it names', () => {
  for (const edit of plantedBugs.flatMap(({ edits }) => edits)) {
    const source = readFileSync(new URL(urlOf(edit)), 'utf8');
    expect(edited(source, edit)).not.toBe(source);
  }
});
