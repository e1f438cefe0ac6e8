import type { Processor } from '../src/ports/processor.ts';

/** For what is not about the processor. */
// cast: nothing here calls it
export const noProcessor = { deadlineMs: 1000 } as Processor;
