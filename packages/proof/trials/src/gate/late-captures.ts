import { ok, type Result } from '@chairside/core';
import type {
  CapturePaymentRequest,
  ProcessorError,
  ProcessorPayment,
} from '@chairside/core/ports';
import { hash } from '../plan/random.ts';
import { entryOf, type Gate } from './gate.ts';
import { laterMs } from './processor-calls.ts';

/** Makes a call, and records whether it took the money. */
type Take = <T>(act: () => PromiseLike<T>) => Promise<T>;

/** The processor accepts a capture, and ends it later; one in three fails. */
export async function acceptCapture(
  gate: Gate,
  request: CapturePaymentRequest,
  take: Take,
  drawn: number,
): Promise<Result<ProcessorPayment, ProcessorError>> {
  const { processor } = gate.world();
  const end = hash(drawn, 1) % 3 === 0 ? 'failed' : 'captured';
  await processor.slowCaptures?.(true);
  const accepted = await take(() => processor.capturePayment(request));
  await processor.slowCaptures?.(false);
  void gate.scheduler.after(laterMs(drawn), () =>
    take(async () => {
      const reference = (await entryOf(gate, request.paymentId))?.id ?? '';
      const ended = (await processor.endCapture?.(reference, end)) ?? ok(undefined);
      // It fails if the processor did not accept the capture.
      if (ended.isErr()) gate.evidence.texts.add(JSON.stringify(ended.error));
    }),
  );
  return accepted;
}
