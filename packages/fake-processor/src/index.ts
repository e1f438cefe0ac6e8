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
export type { StorageFailed } from './errors.ts';
export { createFakeProcessor } from './fake-processor.ts';
export {
  type CallName,
  callNames,
  type FaultKind,
  faultKinds,
  type ProcessorCall,
  platformAccount,
} from './faults.ts';
export type * from './interface.ts';
export { keyLifetimeMs } from './once.ts';
export { outboxCapacity } from './outbox.ts';
export type { FakePayout } from './payouts.ts';
export type { CompleteSetupError, SetupOutcome } from './setups.ts';
export { signatureHeader, signatureToleranceMs } from './signature.ts';
export * from './storage.ts';
export type { PresentError, Presented } from './terminal.ts';
