import { type Dispute, followDispute, type SeenDispute } from '../../domain/dispute.ts';
import type { DisputeEvent } from '../../domain/event.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Payment } from '../../domain/payment.ts';
import { maxListedRefunds } from '../../domain/refund.ts';
import type { Steps } from '../../domain/result.ts';
import { formatTimestamp } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ProcessorEvent } from '../../ports/processor-event.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { type EventMaker, touchPayment } from '../payment/touch-payment.ts';

type DisputeMessage = Extract<ProcessorEvent, { kind: 'refund' | 'dispute' }>;

/**
 * The changes for a message about a dispute; none if an earlier message said the same (D45). Read
 * the payment before: its version guards the record of the dispute.
 */
export async function* disputeChanges(
  ports: Ports,
  payment: Payment,
  event: DisputeMessage,
): Steps<readonly Change[], StoreUnavailable> {
  const { subject: reference, amountMinor } = event;
  const at = ports.clock.now();
  const listed = yield* await ports.store.disputes.listByPayment(payment.id, maxListedRefunds);
  const known = listed.find((dispute) => dispute.reference === reference);
  if (known === undefined) {
    const seen = event.dispute ?? { state: 'open', at };
    const dispute = openedDispute(ports.ids.next('dsp'), payment, event, seen, at);
    // An earlier version has reported it without a record.
    const { moneyBacks } = ports.store;
    const wasReported = yield* await moneyBacks.has(payment.account, 'dispute', reference);
    const events =
      wasReported && seen.state === 'open'
        ? []
        : [disputeEvent(dispute, disputeEventTypes[seen.state])];
    const { changes } = touchPayment(payment, at, 'processorEvent', events);
    return [{ kind: 'insertDispute', dispute }, ...changes];
  }
  const dispute = event.dispute && followDispute(known, amountMinor, event.dispute, at);
  if (dispute === undefined) return [];
  const type =
    dispute.state === 'open'
      ? 'contactlessPayment.disputeChanged'
      : disputeEventTypes[dispute.state];
  const { changes } = touchPayment(payment, at, 'processorEvent', [disputeEvent(dispute, type)]);
  return [{ kind: 'updateDispute', dispute, expectedVersion: known.version }, ...changes];
}

const disputeEventTypes = {
  open: 'contactlessPayment.disputed',
  won: 'contactlessPayment.disputeWon',
  lost: 'contactlessPayment.disputeLost',
} as const satisfies Readonly<Record<Dispute['state'], DisputeEvent['type']>>;

function openedDispute(
  id: string,
  { id: paymentId, businessId, account, currency: paidIn }: Payment,
  { subject: reference, amountMinor }: DisputeMessage,
  { currency = paidIn, state, reason, respondBy, at: seenAt }: SeenDispute,
  at: number,
): Dispute {
  return {
    id,
    paymentId,
    businessId,
    account,
    reference,
    currency,
    amountMinor,
    state,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy }),
    version: 1,
    openedAt: at,
    updatedAt: at,
    seenAt,
  };
}

function disputeEvent(dispute: Dispute, type: DisputeEvent['type']): EventMaker {
  const { id, amountMinor, currency, state, respondBy, reference } = dispute;
  return (frame, about) => ({
    ...frame,
    type,
    data: {
      ...about,
      disputeId: id,
      amount: formatMoney(amountMinor),
      currency,
      state,
      ...(respondBy !== undefined && { respondBy: formatTimestamp(respondBy) }),
      processorReference: reference,
    },
  });
}
