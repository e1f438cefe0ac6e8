import {
  type Clock,
  err,
  ok,
  type PaymentState,
  type RefundState,
  type Result,
} from '@chairside/core';
import type { Books } from './books.ts';
import type { Entry, HistoryLine } from './entry.ts';
import { type LedgerFailed, rejections, withLedger } from './errors.ts';
import { disputeClosed, disputed, refundEnded, refunded } from './money-back.ts';

export type RefundError =
  | { readonly kind: 'unknownReference' }
  | { readonly kind: 'notCaptured'; readonly status: PaymentState }
  /** Zero, or more than the captured amount that is not refunded yet. */
  | { readonly kind: 'amountOutOfRange' }
  /** The refund or dispute does not exist, or it has ended in this way already. */
  | { readonly kind: 'notOpen' }
  | LedgerFailed;

/**
 * The actions of an operator and a cardholder at the processor. Each returns the entry of the
 * history.
 */
export interface Dashboard {
  refund(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  dispute(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  endRefund(
    reference: string,
    refund: string,
    state: RefundState,
  ): Result<HistoryLine, RefundError>;
  closeDispute(
    reference: string,
    dispute: string,
    state: 'won' | 'lost',
  ): Result<HistoryLine, RefundError>;
}

export function createDashboard(books: Books, clock: Clock): Dashboard {
  function change(
    reference: string,
    act: (entry: Entry) => Result<Entry, string>,
  ): Result<HistoryLine, RefundError> {
    return withLedger<HistoryLine, RefundError>(() => {
      const entry = books.load(reference);
      if (entry === undefined) return err({ kind: 'unknownReference' });
      const { status } = entry;
      if (status !== 'captured') return err({ kind: 'notCaptured', status });
      const changed = act(entry).map((after) => {
        books.save(after);
        return after.history.at(-1);
      });
      return changed.mapErr(errorOf).andThen((line) => (line ? ok(line) : err(unknown)));
    });
  }

  return {
    refund: (reference, amountMinor) =>
      change(reference, (entry) =>
        refunded(entry, { amountMinor, returnsFee: false }, 'succeeded', clock.now()),
      ),
    dispute: (reference, amountMinor) =>
      change(reference, (entry) => disputed(entry, amountMinor, clock.now())),
    endRefund: (reference, refund, state) =>
      change(reference, (entry) => refundEnded(entry, refund, state, clock.now())),
    closeDispute: (reference, dispute, state) =>
      change(reference, (entry) => disputeClosed(entry, dispute, state, clock.now())),
  };
}

const unknown: RefundError = { kind: 'unknownReference' };

function errorOf(reason: string): RefundError {
  return reason === rejections.unexpectedState ? { kind: 'notOpen' } : { kind: 'amountOutOfRange' };
}
