import type { RawEvent } from '@chairside/core/ports';
import type { DrivenCall, WireFault } from './driven.ts';
import type {
  BookEntry,
  MaybePromise,
  OutsideActs,
  SetupBookEntry,
  SetupEnd,
  SimulatedProcessor,
} from './simulated.ts';

/**
 * An author's control of the processor, for `driveProcessor`. Every control may return a promise. An
 * impossible action throws. Amounts are minor units (`4500n` is 45.00), and times are
 * milliseconds since 1970. A reference is the processor's id of a payment.
 */
export interface ProcessorControls
  extends Pick<SimulatedProcessor, 'slowCaptures' | 'slowRefunds' | 'balance' | 'forgetCustomer'>,
    Partial<OutsideActs<MaybePromise<unknown>>> {
  /** How long the processor holds an authorization at most, in milliseconds. */
  readonly longestHoldMs: number;
  /** Cards of `@chairside/fake-processor` that it cannot present: their specs are skipped. Default: none. */
  readonly lacksCards?: readonly string[];
  /** Every payment that was ever opened, in order, from the processor's own books. */
  entries(): MaybePromise<readonly BookEntry[]>;
  /**
   * Presents a card at a terminal and returns the payment's reference, also after a decline.
   * @param card a name of `@chairside/fake-processor`, for example `visa_credit` or `declined`.
   */
  presentCard(clientSecret: string, card: string): MaybePromise<string>;
  /** Every setup that was ever opened, in order. Default: none. */
  setups?(): MaybePromise<readonly SetupBookEntry[]>;
  /** A customer enters a card, named as above, in a setup's session. Default: impossible. */
  completeSetup?(clientSecret: string, card: string): MaybePromise<SetupEnd>;
  /** Takes the unsent messages, signed, and marks them as sent. Default: none. */
  takeEvents?(): MaybePromise<readonly RawEvent[]>;
  /** Signs a message again, with the time of now. Required if there are messages. */
  signEvent?(payload: string): MaybePromise<RawEvent>;
  /**
   * Gives the next request of this call the fault, and returns true. The call is sent right after it.
   * `false` leaves a fault to the driver, which then answers in place of the adapter. Default: `false`.
   */
  fault?(call: DrivenCall, fault: WireFault): MaybePromise<boolean>;
  /** Takes card payments from an account, or gives them back. Default: the driver answers `notSetUp`. */
  enableAccount?(account: string, isEnabled: boolean): MaybePromise<void>;
  /** The processor does not accept a terminal location any more. Default: the driver rejects it. */
  rejectLocation?(terminalLocation: string): MaybePromise<void>;
}
