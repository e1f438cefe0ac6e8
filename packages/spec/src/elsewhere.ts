import {
  type CaptureContactlessPaymentInput,
  type Chairside,
  createChairside,
  type Processor,
  type ProcessorPayment,
} from '@chairside/core';
import { fresh } from './shop.ts';
import type { AnyWorld, World } from './world.ts';

// The same shop, run by another process: its processor may behave in ways that the fake does not.

/** Over the same records, and a processor of which some calls are others. */
export function withProcessor(
  { store, processor, clock }: World,
  over: Partial<Processor>,
): Chairside {
  return createChairside({ store, clock, processor: { ...processor, ...over } });
}

/** Over the same records, and a processor whose ledger shows payments otherwise. */
export function withLedger(
  world: World,
  shown: (seen: ProcessorPayment) => ProcessorPayment,
): Chairside {
  return withProcessor(world, { readPayment: readingAs(world, shown) });
}

/** Reads the world's processor, and shows what it finds otherwise. */
export function readingAs(
  { processor }: World,
  shown: (seen: ProcessorPayment) => ProcessorPayment,
): Processor['readPayment'] {
  return (payment, claimed) =>
    processor.readPayment(payment, claimed).map((seen) => seen && shown(seen));
}

/** Hands over every message that the processor has not sent yet, one after the other. */
export async function deliverMessages(
  { processor, chairside }: Pick<World, 'processor' | 'chairside'>,
  to: Chairside = chairside,
): Promise<void> {
  for (const event of processor.takeEvents()._unsafeUnwrap()) {
    const received = await to.receiveProcessorEvent(event);
    if (received.isErr()) throw new Error(received.error.detail);
  }
}

export const ada = { subject: 'user-ada', barberId: 'ada' };
export const host = { subject: 'host', systemAdministrator: true };

/** The host gives a payment up. */
export function cancel({ chairside }: Pick<AnyWorld, 'chairside'>, contactlessPaymentId: string) {
  return chairside.cancelContactlessPayment(host, { contactlessPaymentId });
}

/** What a capture takes that is asked for in process. */
export function captureInput(
  contactlessPaymentId: string,
  reference: string,
): CaptureContactlessPaymentInput {
  const externalPaymentReference = { id: reference, paymentProcessor: 'processor_a' } as const;
  return { contactlessPaymentId, idempotencyKey: fresh('key'), body: { externalPaymentReference } };
}
