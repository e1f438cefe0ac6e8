export {
  type BookEntry,
  createMapStore,
  type SetupBookEntry,
  type SimulatedProcessor,
} from '@chairside/testkit';
export { type Companion, execute, type Outcome } from './act/execute.ts';
export { executeRestored } from './act/restored.ts';
export type { Run } from './act/run.ts';
export type { Evidence } from './check/evidence.ts';
export type { Exchange } from './check/request-log.ts';
export { type Rule, rules, type Violation } from './check/rules.ts';
export type { State } from './check/state.ts';
export { type ExhaustOptions, type ExhaustReport, exhaust } from './exhaust.ts';
export * from './plan/action.ts';
export * from './plan/fault-kinds.ts';
export { type GenerateOptions, generatePlan } from './plan/generate.ts';
export * from './plan/plan.ts';
export * from './plan/scenarios.ts';
export { shrink } from './shrink.ts';
export {
  type Progress,
  type SimulateOptions,
  type SimulationReport,
  simulate,
} from './simulate.ts';
export type { Harness, World } from './world.ts';
