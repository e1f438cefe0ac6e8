// Loaded before everything else in a server with a bug: the bug's name is the last argument.
import { plantEverywhere } from '../bugs/plant-everywhere.ts';
import { plantedBugs } from '../bugs/planted-bugs.ts';

const bug = plantedBugs.find(({ name }) => name === process.argv.at(-1));
if (bug === undefined) throw new Error('there is no such bug');
plantEverywhere(bug);
