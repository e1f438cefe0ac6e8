import type { ProcessorCharges } from '@chairside/core/ports';
import type { Gate, Task } from './gate.ts';
import { processorCalls } from './processor-calls.ts';
import { type CaptureWatch, watchChargeSent } from './watch-captures.ts';

/** The processor's charges of saved methods for one task. */
export function gatedCharges(
  gate: Gate,
  task: Task,
  watch: CaptureWatch,
  charges: ProcessorCharges,
): ProcessorCharges {
  const { tell } = processorCalls(gate, task);
  return {
    authorize(request) {
      const { paymentId, method } = request;
      watchChargeSent(gate, watch, request);
      gate.evidence.charges.set(paymentId, { method });
      return tell('authorizeMethod', () => charges.authorize(request));
    },
  };
}
