import type { ProcessorRefund, Refund } from '../../domain/refund.ts';
import type { Result } from '../../domain/result.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { didNothing, type LeftUnknown, leftUnknown, provesDead } from '../ask.ts';

type Listed = Result<readonly ProcessorRefund[], unknown>;

/** The facts known while a reserved refund is being made at the processor. */
export interface RefundSeen {
  /** The processor cannot have received an earlier call of ours. */
  readonly isFirstCall: boolean;
  /** The processor may have forgotten the key, so the refund is only looked up (D44). */
  readonly isOver: boolean;
  /** The payment's refunds before a repeated call, once listed. */
  readonly before?: Listed | undefined;
  /** The reply to the refund request, once sent. */
  readonly sent?: Result<ProcessorRefund, ProcessorError> | undefined;
  /** The payment's refunds after a failed request, once listed. */
  readonly after?: Listed | undefined;
}

export type RefundEnd =
  /** The processor shows it: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorRefund }
  /** It is proven that this first call was not applied: remove the claim and its key (D21). */
  | { readonly next: 'withdraw'; readonly error: ProcessorError }
  /** The processor rejected it for good, and an earlier call was not applied either. */
  | { readonly next: 'fail'; readonly failure: string }
  /** It stays reserved. */
  | LeftUnknown;

type RefundNext = RefundEnd | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a refund whose amount is reserved (D44). A repeated call reads first. A
 * lost reply never leads to a request under a second key.
 */
export function decideRefunding(refund: Refund, seen: RefundSeen): RefundNext {
  const { isFirstCall, isOver, before, sent, after } = seen;
  if (!isFirstCall) {
    if (before === undefined) return { next: 'readBefore' };
    if (before.isErr()) return leftUnknown(false);
    const found = findOwn(refund, before.value);
    if (found !== undefined) return { next: 'record', seen: found };
  }
  if (sent === undefined) return isOver ? leftUnknown(false) : { next: 'send' };
  if (sent.isOk()) return { next: 'record', seen: sent.value };
  const { error } = sent;
  if (didNothing(error) && isFirstCall) return { next: 'withdraw', error };
  if (didNothing(error) && error.kind !== 'rejected') return leftUnknown(false);
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown(false);
  const found = findOwn(refund, after.value);
  if (found !== undefined) return { next: 'record', seen: found };
  return error.kind === 'rejected'
    ? { next: 'fail', failure: error.reason }
    : leftUnknown(provesDead(error));
}

function findOwn({ id }: Refund, listed: readonly ProcessorRefund[]): ProcessorRefund | undefined {
  return listed.find(({ refundId }) => refundId === id);
}
