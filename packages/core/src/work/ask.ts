import { report } from '../call/report.ts';
import type { Payment, Work } from '../domain/payment.ts';
import { err, type Result, type ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { PaymentHandle, ProcessorError } from '../ports/processor.ts';

/**
 * Asks the processor for something. An adapter that throws, which it must not, has left it unknown
 * whether anything was done.
 */
export async function ask<T>(
  ports: Ports,
  name: string,
  call: () => ResultAsync<T, ProcessorError>,
): Promise<Result<T, ProcessorError>> {
  const startedAt = ports.clock.now();
  const { endsAt = Number.POSITIVE_INFINITY } = ports;
  const result = startedAt < endsAt ? await answerOf(call) : err(notCalled);
  const outcome = result.isOk() ? 'ok' : result.error.kind;
  report(ports, { kind: 'processorCall', name, outcome }, startedAt);
  return result;
}

/** The time of the request is over: what was not sent was not applied. */
const notCalled: ProcessorError = { kind: 'unavailable', outcome: 'notApplied', answered: false };

async function answerOf<T>(
  call: () => ResultAsync<T, ProcessorError>,
): Promise<Result<T, ProcessorError>> {
  try {
    return await call();
  } catch {
    return err({ kind: 'unavailable', outcome: 'unknown', answered: false });
  }
}

/** How the processor knows this payment. */
export function handleOf(ports: Ports, payment: Payment): PaymentHandle {
  return {
    account: payment.account,
    paymentId: payment.id,
    installation: ports.installation,
    begunAt: payment.createdAt,
    ...(payment.reference !== undefined && { reference: payment.reference }),
  };
}

/** The processor's idempotency key: ours, never the client's (D20). */
export function processorKey(
  { id, work }: { readonly id: string; readonly work: Work },
  call: 'open' | 'capture' | 'cancel',
): string {
  return `${id}:${call}:${work.attempt}`;
}

/**
 * Whether a call that a read has since shown not to have applied is dead: the processor itself
 * answered it with a failure, which it replays for ever under that key. So the next attempt takes
 * another (D20). A call that was cut off keeps its key: it may yet arrive.
 */
export function provesDead(error: ProcessorError): boolean {
  return error.kind === 'rejected' || (error.kind === 'unavailable' && error.answered);
}

/** The processor's ledger entry of this payment, read now. */
export function readAtProcessor(ports: Ports, payment: Payment, claimed?: string) {
  return ask(ports, 'readPayment', () =>
    ports.processor.readPayment(handleOf(ports, payment), claimed),
  );
}
