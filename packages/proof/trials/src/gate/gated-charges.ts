import type { ProcessorCharges } from '@chairside/core';
import type { Gate, Task } from './gate.ts';
import { processorCalls } from './processor-calls.ts';

/** The processor's charges of saved methods for one task. */
export function gatedCharges(gate: Gate, task: Task, charges: ProcessorCharges): ProcessorCharges {
  const { tell } = processorCalls(gate, task);
  return {
    authorize(request) {
      const { paymentId, method } = request;
      gate.evidence.charges.set(paymentId, { method });
      return tell('authorizeMethod', () => charges.authorize(request));
    },
  };
}
