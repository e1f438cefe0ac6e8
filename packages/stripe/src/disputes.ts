import {
  type DisputeState,
  err,
  ok,
  type PaymentHandle,
  type ProcessorDispute,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { findIntent } from './intents.ts';
import { believe, type Dispute, disputeListShape } from './shapes.ts';

/** Only these types change a dispute. Others report the money that it moved. */
export const disputeTypes: ReadonlySet<string> = new Set([
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
]);

/** Every dispute of an intent, as it is now. */
export function listDisputes(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<readonly ProcessorDispute[], Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, payment.account);
    const intent = yield* findIntent(call, payment);
    if (intent?.status !== 'succeeded') return ok([]);
    const params = { payment_intent: intent.id, limit: 100 };
    const reply = yield* call.send(
      (stripe, options) => stripe.disputes.list(params, options),
      scope,
    );
    const { data, has_more } = yield* believe(disputeListShape, reply);
    const isWhole = !has_more && data.every((one) => one.payment_intent === intent.id);
    return isWhole ? ok(data.map(toDispute)) : err(unknown);
  });
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
