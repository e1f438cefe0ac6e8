import type { CallCount, FakeProcessor, FaultKind, LedgerLine } from '@chairside/fake-processor';
import type { SimulatedProcessor } from '@chairside/testkit';

/** The calls that the specs of payments and terminals count and make fail. */
export type DrivenCall =
  | 'openPayment'
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
  ledgerEntry(reference: string): LedgerLine | undefined;
  failNext(call: DrivenCall, fault: FaultKind, times?: number): void;
  count(call: DrivenCall): CallCount;
  /** Delivers every call with the fault `landsLater`. Await it. */
  landAbandoned(): number | Promise<number>;
}
