export type { BalanceEntry, FakeFees } from './balance.ts';
export { approvalDelayMs, type CardName, cards, isCardName, type SimulatedCard } from './cards.ts';
export {
  type DisputeEntry,
  type Entry,
  type HistoryLine,
  holdMs,
  type LateCapture,
  type RefundEntry,
  type SetupEntry,
} from './entry.ts';
export type { LedgerFailed } from './errors.ts';
export { createFakeProcessor } from './fake-processor.ts';
export {
  type CallName,
  callNames,
  type FaultKind,
  faultKinds,
  type ProcessorCall,
  platformAccount,
} from './faults.ts';
export type {
  CallCount,
  FakeBalance,
  FakeProcessor,
  FakeProcessorOptions,
  LedgerLine,
  RefundError,
} from './interface.ts';
export {
  type Collection,
  type Collections,
  createMemoryLedger,
  type FakeLedger,
  type KeptAnswer,
  type LedgerWrite,
} from './ledger.ts';
export { keyLifetimeMs } from './once.ts';
export { outboxCapacity } from './outbox.ts';
export type { FakePayout } from './payouts.ts';
export type { CompleteSetupError, SetupOutcome } from './setups.ts';
export { signatureHeader, signatureToleranceMs } from './signature.ts';
export type { PresentError, Presented } from './terminal.ts';
