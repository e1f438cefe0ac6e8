import { commitFunction } from './commit.ts';
import { readFunction } from './read.ts';
import { takeFunction } from './take.ts';

/**
 * What the server does for a node, by functions that carry their version in their names: a node of
 * an earlier version goes on with those that it knows.
 *
 * Where one changes after it was released, raise the number in its name, and make it in a new step
 * of the migration; the earlier step becomes empty. The next version but one may drop what nobody
 * calls any more.
 */
export const functions = `${commitFunction}${readFunction}${takeFunction}`;
