export { openProcessor as openTerminal } from '../src/processor.ts';
