export { type ProcessorPart, processorContract } from './processor/contract.ts';
export type {
  LosableCall,
  Presentation,
  ProcessorCapability,
  ProcessorHarness,
  ReadingCall,
  ReplyMember,
  SavedCard,
} from './processor/harness.ts';
export type { ChangingCall, OutsideActs } from './processor/simulated.ts';
export { rateLimiterContract } from './rate-limiter/contract.ts';
export type {
  Calm,
  Held,
  StoreCapability,
  StoreHarness,
  StoreUnderTest,
} from './store/contract/suite.ts';
export { storeContract } from './store/contract.ts';
