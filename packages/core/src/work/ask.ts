import { report } from '../call/report.ts';
import type { Payment, Work } from '../domain/payment.ts';
import { err, type Result, type ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { PaymentHandle, ProcessorError } from '../ports/processor-calls.ts';

/**
 * Calls the processor. An adapter that throws breaks its contract, and the outcome of the call is
 * then unknown.
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

/** The request's time is over: the call was not sent, so it was not applied. */
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

/** Returns the ledger that lists an account's payments. A ledger's id maps to itself (D51). */
export function ledgerOf({ processor }: Ports, account: string): string {
  return processor.ledgerOf?.(account) ?? account;
}

export function handleOf(ports: Ports, payment: Payment): PaymentHandle {
  return {
    account: payment.account,
    paymentId: payment.id,
    installation: ports.installation,
    begunAt: payment.createdAt,
    ...(payment.reference !== undefined && { reference: payment.reference }),
  };
}

/** The processor's idempotency key: our own, never the client's (D20). */
export function processorKey(
  { id, work }: { readonly id: string; readonly work: Work },
  call: 'open' | 'capture' | 'cancel' | 'refund',
): string {
  return `${id}:${call}:${work.attempt}`;
}

/**
 * Whether the next attempt needs a new key. A read has shown that the call was not applied, and
 * the processor replied with a failure, which it replays for ever under that key. So the next
 * attempt needs another key (D20). A call that was cut off keeps its key, because it may still
 * arrive.
 */
export function provesDead(error: ProcessorError): boolean {
  return error.kind === 'rejected' || (error.kind === 'unavailable' && error.answered);
}

/** An end whose outcome is not known: the request was applied, or still may be. */
export interface LeftUnknown {
  readonly next: 'unknown';
  /** See {@link provesDead}. */
  readonly provedDead: boolean;
}

export function leftUnknown(provedDead: boolean): LeftUnknown {
  return { next: 'unknown', provedDead };
}

export function readAtProcessor(ports: Ports, payment: Payment, claimed?: string) {
  return ask(ports, 'readPayment', () =>
    ports.processor.readPayment(handleOf(ports, payment), claimed),
  );
}

/** Whether this call had no effect. An earlier one may have been applied. */
export function didNothing(error: ProcessorError): boolean {
  return error.kind !== 'unavailable' || error.outcome === 'notApplied';
}
