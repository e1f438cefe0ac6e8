import type { Card } from './card.ts';
import type { PaymentState } from './payment.ts';
import type { EpochMs } from './time.ts';

/** A payment as the processor's ledger shows it. */
export interface ProcessorPayment {
  /** The processor's id of the payment; some assign it only when a card is presented. */
  readonly reference?: string;
  /** The processor's state, in the names of D15. */
  readonly status: PaymentState;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /**
   * The amount that the card's issuer approved. Less than `amountMinor` is a partial authorization.
   */
  readonly authorizedMinor?: bigint;
  readonly capturedMinor?: bigint;
  /** The platform's fee, if the processor shows fees: zero if there is none (D46). */
  readonly applicationFeeMinor?: bigint;
  readonly card?: Card;
  readonly authorizedAt?: EpochMs;
  readonly capturedAt?: EpochMs;
  /** The processor's capture deadline. */
  readonly captureBefore?: EpochMs;
  /** When the processor opened it, by the processor's clock. */
  readonly openedAt?: EpochMs;
  /**
   * The processor's time when it sent this reply. Ages are measured by it, so that a node with a
   * wrong clock releases no money (D42). Replies to reads and lists carry it if the processor
   * states one.
   */
  readonly at?: EpochMs;
  readonly clientSecret: string;
}
