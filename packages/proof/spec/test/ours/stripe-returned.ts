import { type DisputeState, formatMoney, type RefundState } from '@chairside/core';
import { markNames } from '@chairside/stripe';
import type { StandInEvent } from '@chairside/stripe-stand-in';
import type { BookEntry, DisputeBookEntry, RefundBookEntry } from '@chairside/testkit';

/** The refunds and disputes of the stand-in's intents, as its messages tell them. */
export interface ReturnedBooks {
  note(event: StandInEvent): void;
  of(intentId: string): Pick<BookEntry, 'refunds' | 'disputes'>;
}

type ById<T> = Map<string, Map<string, T>>;

export function createReturnedBooks(): ReturnedBooks {
  const refunds: ById<RefundBookEntry> = new Map();
  const disputes: ById<DisputeBookEntry> = new Map();

  return {
    note({ data: { object } }) {
      if (object.object === 'refund') {
        const { id, metadata, status, amount, created, payment_intent, balance_transaction } =
          object;
        // The rest of a capture, which moved nothing.
        const isOurs = metadata?.[markNames.refund] !== undefined;
        if (status === 'succeeded' && balance_transaction === null && !isOurs) return;
        const refundId = metadata?.[markNames.refund];
        keep(refunds, payment_intent, {
          id,
          ...(refundId !== undefined && { refundId }),
          createdAt: created * 1000,
          state: refundStates[status ?? ''] ?? 'pending',
          amount: formatMoney(BigInt(amount)),
        });
      }
      if (object.object === 'dispute') {
        const { id, status, amount, payment_intent, balance_transactions } = object;
        keep(disputes, payment_intent, {
          id,
          state: disputeStates[status] ?? 'open',
          amount: formatMoney(BigInt(amount)),
          isInquiry: status.startsWith('warning_'),
          bookings: balance_transactions.map((one) => ({
            amount: formatMoney(BigInt(one.amount)),
          })),
        });
      }
    },
    of: (intentId) => ({
      refunds: [...(refunds.get(intentId)?.values() ?? [])],
      disputes: [...(disputes.get(intentId)?.values() ?? [])],
    }),
  };
}

const refundStates: Readonly<Record<string, RefundState>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};

const disputeStates: Readonly<Record<string, DisputeState>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'won',
};

function keep<T extends { readonly id: string }>(all: ById<T>, intent: unknown, one: T): void {
  if (typeof intent !== 'string') return;
  const own = all.get(intent) ?? new Map<string, T>();
  all.set(intent, own.set(one.id, one));
}
