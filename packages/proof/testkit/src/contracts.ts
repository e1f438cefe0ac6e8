export { processorContract } from './processor/contract.ts';
export type {
  LosableCall,
  Presentation,
  ProcessorCapability,
  ProcessorHarness,
} from './processor/harness.ts';
export { rateLimiterContract } from './rate-limiter/contract.ts';
export type {
  Calm,
  Held,
  StoreCapability,
  StoreHarness,
  StoreUnderTest,
} from './store/contract/suite.ts';
export { storeContract } from './store/contract.ts';
