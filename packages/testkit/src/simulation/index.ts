export { createMapStore } from '../store/map-store.ts';
export type { Evidence, Exchange, State } from './evidence.ts';
export { execute, type Outcome } from './execute.ts';
export { type ExhaustOptions, type ExhaustReport, exhaust } from './exhaust.ts';
export { type GenerateOptions, generatePlan } from './generate.ts';
export * from './plan.ts';
export { type Rule, rules, type Violation } from './rules.ts';
export { shrink } from './shrink.ts';
export {
  type Progress,
  type SimulateOptions,
  type SimulationReport,
  simulate,
} from './simulate.ts';
export type { Harness, LedgerEntry, SetupLedgerEntry, SimulatedProcessor, World } from './world.ts';
