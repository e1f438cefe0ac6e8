import { type Clock, err, formatMoney, ok, type PaymentState, type Result } from '@chairside/core';
import type { Books } from './books.ts';
import { type HistoryLine, minor, withLine } from './entry.ts';
import { type LedgerFailed, withLedger } from './errors.ts';

export type RefundError =
  | { readonly kind: 'unknownReference' }
  | { readonly kind: 'notCaptured'; readonly status: PaymentState }
  /** Zero, or more than the captured amount that is not refunded yet. */
  | { readonly kind: 'amountOutOfRange' }
  | LedgerFailed;

/**
 * Refunds or disputes captured money, as at a processor. The status stays; the history gets one new
 * line, which is returned.
 */
export function noteMoneyBack(
  books: Books,
  clock: Clock,
  what: 'refunded' | 'disputed',
  reference: string,
  amountMinor: bigint,
): Result<HistoryLine, RefundError> {
  return withLedger<HistoryLine, RefundError>(() => {
    const entry = books.load(reference);
    if (entry === undefined) return err({ kind: 'unknownReference' });
    const { status, history } = entry;
    if (status !== 'captured') return err({ kind: 'notCaptured', status });
    const left = minor(entry.amountCaptured) - sumOf(history, what);
    if (amountMinor <= 0n || amountMinor > left) return err({ kind: 'amountOutOfRange' });
    const line: HistoryLine = { at: clock.now(), what, amount: formatMoney(amountMinor) };
    books.save(withLine(entry, line));
    return ok(line);
  });
}

function sumOf(history: readonly HistoryLine[], what: HistoryLine['what']): bigint {
  return history
    .filter((line) => line.what === what)
    .reduce((sum, { amount = '0.00' }) => sum + minor(amount), 0n);
}
