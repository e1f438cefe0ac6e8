import type { EpochMs, OpenSetupRequest, ProcessorSetup } from '@chairside/core';

/** A setup in the fake's ledger: plain JSON. */
export interface SetupEntry {
  /** The reference by which the processor knows it. */
  readonly id: string;
  readonly setupId: string;
  readonly installation: string;
  readonly customerId: string;
  readonly savePaymentMethod: boolean;
  readonly status: ProcessorSetup['status'];
  readonly paymentMethod?: string;
  /** A card was declined; it stays open for another one. */
  readonly declined: boolean;
  readonly createdAt: EpochMs;
  readonly completedAt?: EpochMs;
  readonly clientSecret: string;
}

export function setupEntry(
  { setupId, installation, customerId, savePaymentMethod }: OpenSetupRequest,
  id: string,
  clientSecret: string,
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

/** The setup as the port shows it. */
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
