import type { CallCount, FakeProcessor, FaultKind, LedgerLine } from '@chairside/fake-processor';
import type { SimulatedProcessor } from '@chairside/testkit';

/** The calls that the specs of payments and terminals count and make fail. */
export type DrivenCall =
  | 'openPayment'
  | 'authorizeMethod'
  | 'readPayment'
  | 'capturePayment'
  | 'cancelPayment'
  | 'createConnectionToken'
  | 'openSetup'
  | 'cancelSetup'
  | 'refund';

/**
 * A processor that a spec can drive: it presents cards, makes calls fail and reads the books. The
 * fake is one, and so is Stripe's adapter on its stand-in.
 */
export interface DrivenProcessor
  extends SimulatedProcessor,
    Pick<FakeProcessor, 'disableAccount' | 'enableAccount' | 'rejectLocation' | 'release'> {
  /** The payment in the processor's own books; `undefined` if they have none. */
  ledgerEntry(reference: string): LedgerLine | undefined;
  /** Gives the next `times` calls (default: one) of that name this fault of the fake. */
  failNext(call: DrivenCall, fault: FaultKind, times?: number): void;
  /** How many calls of that name were made, and how many changed the processor's books. */
  count(call: DrivenCall): CallCount;
  /** Delivers every call with the fault `landsLater`. Await it. */
  landAbandoned(): number | Promise<number>;
}
