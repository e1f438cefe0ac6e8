import {
  type DisputeState,
  type PaymentHandle,
  type ProcessorDispute,
  type ResultAsync,
  secondMs,
} from '@chairside/core';
import type { Call } from './connection.ts';
import type { Failure } from './failure.ts';
import { listOfIntent } from './intents.ts';
import { type Dispute, disputeShape } from './shapes.ts';

/** Every dispute of an intent, as it is now. */
export function listDisputes(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<readonly ProcessorDispute[], Failure> {
  return listOfIntent(call, payment, disputeShape, (stripe, params, options) =>
    stripe.disputes.list(params, options),
  ).map((disputes) => disputes.map(toDispute));
}

/** A dispute as Stripe shows it. */
export function toDispute(dispute: Dispute): ProcessorDispute {
  const { id, amount, currency, status, reason, evidence_details } = dispute;
  const respondBy = evidence_details?.due_by;
  return {
    reference: id,
    amountMinor: BigInt(amount),
    state: stateOf(status),
    currency,
    ...(reason && { reason }),
    ...(respondBy && { respondBy: respondBy * secondMs }),
  };
}

/** A warning that was closed, and a dispute that was prevented, take no money. */
function stateOf(status: string): DisputeState {
  if (status === 'lost') return 'lost';
  return status === 'won' || status === 'warning_closed' || status === 'prevented' ? 'won' : 'open';
}
