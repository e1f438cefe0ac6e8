import type { EpochMs, OpenSetupRequest, ProcessorSetup } from '@chairside/core';

/** A setup in the fake's ledger: plain JSON. */
export interface SetupEntry {
  /** The processor's reference of the setup. */
  readonly id: string;
  readonly setupId: string;
  readonly installation: string;
  readonly customerId: string;
  readonly savePaymentMethod: boolean;
  readonly status: ProcessorSetup['status'];
  readonly paymentMethod?: string;
  /** A card was declined; the setup stays open for another one. */
  readonly declined: boolean;
  readonly createdAt: EpochMs;
  readonly completedAt?: EpochMs;
  readonly clientSecret: string;
}

export function setupEntry(
  { setupId, installation, customerId, savePaymentMethod }: OpenSetupRequest,
  { id, clientSecret }: Pick<SetupEntry, 'id' | 'clientSecret'>,
  at: EpochMs,
): SetupEntry {
  return {
    id,
    setupId,
    installation,
    customerId,
    savePaymentMethod,
    status: 'open',
    declined: false,
    createdAt: at,
    clientSecret,
  };
}

/** The setup in the port's form. */
export function toProcessorSetup({
  id,
  clientSecret,
  status,
  paymentMethod,
  completedAt,
}: SetupEntry): ProcessorSetup {
  return {
    reference: id,
    clientSecret,
    status,
    ...(paymentMethod !== undefined && { paymentMethod }),
    ...(completedAt !== undefined && { completedAt }),
  };
}
