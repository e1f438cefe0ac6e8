import { type Dues, whyUndue } from '../../domain/dues.ts';
import type { Payment, ProcessorPayment } from '../../domain/payment.ts';
import type { Result } from '../../domain/result.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { type LeftUnknown, leftUnknown, provesDead } from '../ask.ts';
import { hasEnded } from '../canceling/decide-canceling.ts';
import type { WhyReleased } from '../dues/release-undue.ts';
import { isSame } from './decide-presented.ts';

/** The facts known while a reserved payment is being captured. */
export interface CaptureSeen {
  /** The processor's entry, read just before. */
  readonly before: ProcessorPayment;
  /** The amount due, once read after the reservation. */
  readonly dues?: Result<Dues, unknown> | undefined;
  /** The reply to the capture request, once sent. */
  readonly sent?: Result<ProcessorPayment, ProcessorError> | undefined;
  /** The processor's entry after a failed request, once read. */
  readonly after?: Result<ProcessorPayment | undefined, unknown> | undefined;
}

export type CaptureEnd =
  /** The processor shows it captured or canceled: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorPayment }
  /** It is no longer authorized, and neither captured nor canceled. */
  | { readonly next: 'turnBack'; readonly seen: ProcessorPayment }
  /** No request was sent. */
  | { readonly next: 'unread' }
  | { readonly next: 'notSetUp' }
  | LeftUnknown;

type CaptureNext =
  | CaptureEnd
  | { readonly next: 'compare' | 'send' | 'readAfter' }
  | { readonly next: 'release'; readonly why: WhyReleased };

/**
 * Decides the next step for a payment whose amount is reserved (D13, D16). From here on a capture
 * request may have been sent, so the reservation stays until the processor shows the payment
 * captured or canceled. The amount due is compared once per call, before the request is sent.
 */
export function decideCapture(
  payment: Payment,
  { before, dues, sent, after }: CaptureSeen,
): CaptureNext {
  if (before.status !== 'authorized') return endAt(before, payment);
  if (dues === undefined) return { next: 'compare' };
  if (dues.isErr()) return { next: 'unread' };
  const why = whyUndue(payment, dues.value);
  if (why !== undefined) return { next: 'release', why };
  if (!isSame(payment, before)) return { next: 'release', why: 'differsAtProcessor' };
  if (sent === undefined) return { next: 'send' };
  if (sent.isOk()) {
    return sent.value.status === 'authorized' ? leftUnknown(false) : endAt(sent.value, payment);
  }
  if (sent.error.kind === 'notSetUp') return { next: 'notSetUp' };
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr() || after.value === undefined) return leftUnknown(false);
  return after.value.status === 'authorized'
    ? leftUnknown(provesDead(sent.error))
    : endAt(after.value, payment);
}

function endAt(seen: ProcessorPayment, { reserved }: Payment): CaptureEnd {
  if (hasEnded(seen)) return { next: 'record', seen };
  // An adapter should show `authorized` while a capture is in flight. This is no proof of its end.
  if (seen.status === 'processing' && reserved) return leftUnknown(false);
  return { next: 'turnBack', seen };
}
