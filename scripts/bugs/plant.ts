import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { edited, urlOf } from '../../packages/proof/trials/test/bugs/edit.ts';
import { plantEverywhere } from '../../packages/proof/trials/test/bugs/plant-everywhere.ts';
import { plantedBugs } from '../../packages/proof/trials/test/bugs/planted-bugs.ts';

const bug = plantedBugs.find(({ name }) => name === process.env['CHAIRSIDE_BUG']);

/** The bug of this run, in the modules that Vitest loads. */
export const plugin = {
  name: 'bug',
  enforce: 'pre' as const,
  load: (id: string) => {
    const edits = bug?.edits.filter((edit) => fileURLToPath(urlOf(edit)) === id) ?? [];
    return edits.length === 0 ? undefined : edits.reduce(edited, readFileSync(id, 'utf8'));
  },
};

// The same for processes and threads that tests start.
if (bug !== undefined) plantEverywhere(bug);
