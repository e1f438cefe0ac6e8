export { type ProcessorPart, processorContract } from './processor/contract.ts';
export type {
  ChangingCall,
  LosableCall,
  Presentation,
  ProcessorCapability,
  ProcessorHarness,
  ReadingCall,
  ReplyMember,
  SavedCard,
} from './processor/harness.ts';
export type { OutsideActs } from './processor/simulated.ts';
export { rateLimiterContract } from './rate-limiter/contract.ts';
export type {
  Calm,
  Held,
  StoreCapability,
  StoreHarness,
  StoreUnderTest,
} from './store/contract/suite.ts';
export { storeContract } from './store/contract.ts';
