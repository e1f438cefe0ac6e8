export { approvalDelayMs, type CardName, cards, isCardName, type SimulatedCard } from './cards.ts';
export { type Entry, type HistoryLine, holdMs } from './entry.ts';
export { type LedgerFailed, rejections } from './errors.ts';
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
  FakeProcessor,
  FakeProcessorOptions,
  LedgerLine,
} from './interface.ts';
export { type KeptAnswer, keyLifetimeMs } from './keys.ts';
export {
  type Collection,
  type Collections,
  createMemoryLedger,
  type FakeLedger,
  type LedgerWrite,
} from './ledger.ts';
export type { DisputeEntry, RefundEntry } from './money-back-entry.ts';
export type { NotedEvent } from './noted-event.ts';
export { outboxCapacity } from './outbox.ts';
export type { Dashboard, RefundError } from './refunds.ts';
export type { SetupEntry } from './setup-entry.ts';
export type { CompleteSetupError, SetupOutcome } from './setups.ts';
export { signatureHeader, signatureToleranceMs } from './signature.ts';
export type { PresentError, Presented } from './terminal.ts';
