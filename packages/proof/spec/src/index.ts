export { describeOperations, type OperationsHarness } from './describe-operations.ts';
export type { DrivenCall, DrivenProcessor } from './processors/driven-processor.ts';
export type { OpenedStore } from './variants.ts';
