import { type Dispute, followDispute, type ProcessorDispute } from '../../domain/dispute.ts';
import type { DisputeEvent } from '../../domain/event.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Payment } from '../../domain/payment.ts';
import { type EpochMs, formatTimestamp } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { EventMaker } from '../payment/payment-changes.ts';

/** A dispute whose record differs from what the processor shows. */
export interface DisputeNews {
  /** Absent if it has no record yet. */
  readonly before?: Dispute;
  readonly dispute: Dispute;
  readonly change: Change;
  readonly event: EventMaker;
  /** The processor's time, if it states one. */
  readonly openedAt: EpochMs | undefined;
}

/** Compares the recorded disputes of a payment with those that the processor shows (D45). */
export function disputeNews(
  ports: Ports,
  payment: Payment,
  known: readonly Dispute[],
  shown: readonly ProcessorDispute[],
  at: EpochMs,
): readonly DisputeNews[] {
  return shown.flatMap((seen): readonly DisputeNews[] => {
    const before = known.find(({ reference }) => reference === seen.reference);
    if (before === undefined) {
      const dispute = openedDispute(ports.ids.next('dsp'), payment, seen, at);
      const event = disputeEvent(dispute, disputeEventTypes[dispute.state]);
      const change = { kind: 'insertDispute', dispute } as const;
      return [{ dispute, change, event, openedAt: seen.openedAt }];
    }
    const dispute = followDispute(before, seen, at);
    if (dispute === undefined) return [];
    const type =
      dispute.state === 'open'
        ? 'contactlessPayment.disputeChanged'
        : disputeEventTypes[dispute.state];
    const { version: expectedVersion } = before;
    const change: Change = { kind: 'updateDispute', dispute, expectedVersion };
    const event = disputeEvent(dispute, type);
    return [{ before, dispute, change, event, openedAt: seen.openedAt }];
  });
}

const disputeEventTypes = {
  open: 'contactlessPayment.disputed',
  won: 'contactlessPayment.disputeWon',
  lost: 'contactlessPayment.disputeLost',
} as const satisfies Readonly<Record<Dispute['state'], DisputeEvent['type']>>;

function openedDispute(
  id: string,
  { id: paymentId, businessId, account, currency: paidIn }: Payment,
  {
    reference,
    amountMinor,
    currency = paidIn,
    state,
    reason,
    respondBy,
    at: seenAt,
  }: ProcessorDispute,
  at: EpochMs,
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
    seenAt: seenAt ?? at,
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
