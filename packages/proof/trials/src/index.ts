export {
  type BookEntry,
  createMapStore,
  type SetupBookEntry,
  type SimulatedProcessor,
} from '@chairside/testkit';
export { type Companion, execute, type Outcome } from './act/execute.ts';
export { executeRestored } from './act/restored.ts';
export type { Run } from './act/run.ts';
export type { Evidence, State } from './check/evidence.ts';
export { type Rule, rules, type Violation } from './check/evidence.ts';
export type { Exchange } from './check/request-log.ts';
export { type ExhaustOptions, type ExhaustReport, exhaust } from './exhaust.ts';
export { type GenerateOptions, generatePlan } from './plan/generate.ts';
export * from './plan/plan.ts';
export * from './plan/scenarios.ts';
export {
  type Progress,
  type SimulateOptions,
  type SimulationReport,
  shrink,
  simulate,
} from './simulate.ts';
export type { Harness, World } from './world.ts';
