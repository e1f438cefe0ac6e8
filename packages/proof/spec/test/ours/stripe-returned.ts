import { type DisputeState, formatMoney, type RefundState } from '@chairside/core';
import { markNames } from '@chairside/stripe';
import type { StandInEvent } from '@chairside/stripe-stand-in';
import type { DisputeLedgerEntry, LedgerEntry, RefundLedgerEntry } from '@chairside/testkit';

/** The refunds and disputes of the stand-in's intents, as its messages tell them. */
export interface ReturnedBooks {
  note(event: StandInEvent): void;
  of(intentId: string): Pick<LedgerEntry, 'refunds' | 'disputes'>;
}

type ById<T> = Map<string, Map<string, T>>;

export function createReturnedBooks(): ReturnedBooks {
  const refunds: ById<RefundLedgerEntry> = new Map();
  const disputes: ById<DisputeLedgerEntry> = new Map();

  return {
    note({ data: { object } }) {
      if (object.object === 'refund') {
        const { id, metadata, status, amount, payment_intent } = object;
        const refundId = metadata?.[markNames.refund];
        keep(refunds, payment_intent, {
          id,
          ...(refundId !== undefined && { refundId }),
          state: refundStates[status ?? ''] ?? 'pending',
          amount: formatMoney(BigInt(amount)),
        });
      }
      if (object.object === 'dispute') {
        const { id, status, amount, payment_intent } = object;
        const state = disputeStates[status] ?? 'open';
        keep(disputes, payment_intent, { id, state, amount: formatMoney(BigInt(amount)) });
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

const disputeStates: Readonly<Record<string, DisputeState>> = { won: 'won', lost: 'lost' };

function keep<T extends { readonly id: string }>(all: ById<T>, intent: unknown, one: T): void {
  if (typeof intent !== 'string') return;
  const own = all.get(intent) ?? new Map<string, T>();
  all.set(intent, own.set(one.id, one));
}
