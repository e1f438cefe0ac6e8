export * from './builders.ts';
export * from './manual-clock.ts';
export type { LedgerEntry, SetupLedgerEntry, SimulatedProcessor } from './processor/simulated.ts';
export * from './store/map/map-store.ts';
