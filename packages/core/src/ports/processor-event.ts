import type { SeenDispute } from '../domain/dispute.ts';

/** A message of the processor, unparsed. */
export interface RawEvent {
  /** The body exactly as received, because the signature covers its bytes. */
  readonly payload: string;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The payment that a message concerns. */
interface AboutPayment {
  readonly paymentId: string;
  readonly installation: string;
  /** The account of the event. The owner of another account may have copied our payment's id. */
  readonly account: string;
}

/** The event in a processor's message (D25). Types that are not listed are `ignored`. */
export type ProcessorEvent = {
  /** The processor's id of the message, the same for every delivery. */
  readonly id: string;
} & (
  | (AboutPayment & {
      /** A change of one of our payments; the ledger entry shows which. */
      readonly kind: 'payment';
    })
  | (AboutPayment & {
      readonly kind: 'refund' | 'dispute';
      /**
       * The processor's id of the refund or dispute, the same in every message about it. If the
       * messages do not name it, the id of the message.
       */
      readonly subject: string;
      /** The processor's id of the payment that was refunded or disputed. */
      readonly reference: string;
      readonly amountMinor: bigint;
      /** The dispute's details; without them the dispute was opened. */
      readonly dispute?: SeenDispute;
    })
  | { readonly kind: 'ignored' }
);
