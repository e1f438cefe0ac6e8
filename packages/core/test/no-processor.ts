import type { Processor } from '../src/ports/processor.ts';
import { processorFunctions } from '../src/settings.ts';

const none = () => {
  throw new Error('There is no processor here');
};
const functions = Object.keys(processorFunctions).map((name) => [name, none]);

/** For tests that never call the processor. */
// cast: it has every function of the port
export const noProcessor = { deadlineMs: 1000, ...Object.fromEntries(functions) } as Processor;
