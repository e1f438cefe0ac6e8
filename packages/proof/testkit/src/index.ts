export * from './builders.ts';
export * from './manual-clock.ts';
export type {
  DisputeLedgerEntry,
  LedgerEntry,
  RefundLedgerEntry,
  SetupLedgerEntry,
  SimulatedProcessor,
} from './processor/simulated.ts';
export * from './store/map/map-store.ts';
