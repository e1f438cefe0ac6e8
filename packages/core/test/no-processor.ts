import type { Processor } from '../src/ports/processor.ts';

const partly: Partial<Processor> = {
  deadlineMs: 1000,
  openPayment: () => {
    throw new Error('There is no processor here');
  },
};

/** For what is not about the processor. */
// cast: nothing here calls it
export const noProcessor = partly as Processor;
