export { describeOperations, type OperationsHarness } from './describe-operations.ts';
export type { OpenedStore } from './variants.ts';
