import type { CallCount, FakeProcessor, FaultKind, LedgerLine } from '@chairside/fake-processor';
import type { SimulatedProcessor } from '@chairside/testkit';

/** The calls that the specs of payments and terminals count, and make fail. */
export type DrivenCall =
  | 'openPayment'
  | 'readPayment'
  | 'capturePayment'
  | 'cancelPayment'
  | 'createConnectionToken'
  | 'openSetup'
  | 'cancelSetup';

/**
 * A processor that a spec can drive: it holds cards to terminals, makes calls fail and looks into
 * the books. The fake is one; so is Stripe's adapter on its stand-in.
 */
export interface DrivenProcessor
  extends SimulatedProcessor,
    Pick<FakeProcessor, 'disableAccount' | 'enableAccount' | 'rejectLocation' | 'release'> {
  ledgerEntry(reference: string): LedgerLine | undefined;
  failNext(call: DrivenCall, fault: FaultKind, times?: number): void;
  count(call: DrivenCall): CallCount;
  /** Delivers every call that met `landsLater`. To be awaited: it may not be over at once. */
  landAbandoned(): number | Promise<number>;
}
