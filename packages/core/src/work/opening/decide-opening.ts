import type { Result } from '../../domain/result.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { didNothing, type LeftUnknown, leftUnknown } from '../ask.ts';

/** The facts known while a payment or a setup is being opened at the processor. */
export interface OpeningSeen<O> {
  /** The processor cannot have received an earlier call of ours. */
  readonly isFirstCall: boolean;
  /** Its lifetime has passed, so it is too late to open it (D20). */
  readonly isOver: boolean;
  /**
   * The processor's view of it before the request, or `unread` until it is known; absent if it is not
   * needed.
   */
  readonly before?: 'unread' | Result<O | undefined, ProcessorError> | undefined;
  /** The reply to the request that opens it, once sent. */
  readonly sent?: Result<O, ProcessorError> | undefined;
  /** The processor's view of it afterwards, once read. */
  readonly after?: Result<O | undefined, ProcessorError> | undefined;
}

export type OpeningEnd<O> =
  /** The processor has opened it: record it. */
  | { readonly next: 'record'; readonly seen: O }
  /** It is proven that it was not opened: remove the claim and its key (D21). */
  | { readonly next: 'withdraw'; readonly error: ProcessorError }
  | LeftUnknown
  /** It was not opened in time: the key stays closed (D20). */
  | { readonly next: 'close' };

type OpeningNext<O> = OpeningEnd<O> | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a payment or a setup that is being opened (D20, D22). Each processor
 * call is requested at most once.
 */
export function decideOpening<O>(seen: OpeningSeen<O>): OpeningNext<O> {
  const { isFirstCall, isOver, before, sent, after } = seen;
  if (sent === undefined && !isOver) {
    if (before === undefined) return { next: 'send' };
    if (before === 'unread') return { next: 'readBefore' };
    if (before.isErr()) return leftUnknown(false);
    return before.value === undefined ? { next: 'send' } : { next: 'record', seen: before.value };
  }
  if (sent?.isOk()) return { next: 'record', seen: sent.value };
  const error = sent?.isErr() ? sent.error : undefined;
  // An earlier call may have been applied, although this call was not.
  if (error !== undefined && didNothing(error) && isFirstCall) return { next: 'withdraw', error };
  if (error !== undefined && didNotArrive(error)) return leftUnknown(false);
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown(false);
  if (after.value !== undefined) return { next: 'record', seen: after.value };
  if (error === undefined) return { next: 'close' };
  return error.kind === 'unavailable' ? leftUnknown(error.answered) : { next: 'withdraw', error };
}

/** The processor has not decided about this call. */
function didNotArrive(error: ProcessorError): boolean {
  return error.kind === 'rateLimited' || (error.kind === 'unavailable' && didNothing(error));
}
