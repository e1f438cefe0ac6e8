import type { Processor } from '../src/ports/processor.ts';

const partly: Partial<Processor> = {
  deadlineMs: 1000,
  openPayment: () => {
    throw new Error('There is no processor here');
  },
};

/** For tests that never call the processor. */
// cast: these tests never call it
export const noProcessor = partly as Processor;
