export {
  createMapStore,
  type LedgerEntry,
  type SetupLedgerEntry,
  type SimulatedProcessor,
} from '@chairside/testkit';
export { type Companion, execute, type Outcome } from './act/execute.ts';
export type { Run } from './act/run.ts';
export type { Evidence, Exchange, State } from './check/evidence.ts';
export { type Rule, rules, type Violation } from './check/rules.ts';
export { type ExhaustOptions, type ExhaustReport, exhaust } from './exhaust.ts';
export { type GenerateOptions, generatePlan } from './plan/generate.ts';
export * from './plan/plan.ts';
export * from './plan/refund-scenarios.ts';
export * from './plan/scenarios.ts';
export * from './plan/world-scenarios.ts';
export { shrink } from './shrink.ts';
export {
  type Progress,
  type SimulateOptions,
  type SimulationReport,
  simulate,
} from './simulate.ts';
export type { Harness, World } from './world.ts';
