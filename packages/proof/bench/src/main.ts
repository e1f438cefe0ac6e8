import { readArgs } from './args.ts';
import { closed, open } from './compare.ts';
import { growth } from './growth.ts';
import { describeMachine } from './report.ts';
import { soak, storms } from './storms.ts';

const args = readArgs(process.argv.slice(2));
console.log(describeMachine(args.folder));
const commands = { closed, growth, open, soak, storms };
await commands[args.command](args);
