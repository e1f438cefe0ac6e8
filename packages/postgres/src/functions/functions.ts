import { commitFunction } from './commit.ts';
import { commitSetsFunction } from './commit-sets.ts';
import { readFunction } from './read.ts';
import { takeFunction } from './take.ts';

/**
 * The server's functions for a node. Their names contain a version, so that a node of an earlier
 * version keeps using the functions that it knows.
 *
 * To change a released function, raise the number in its name and create it in a new migration
 * step, without the earlier text. The next version but one may drop the unused function.
 */
export const functions = `${commitSetsFunction}${commitFunction}${readFunction}${takeFunction}`;
