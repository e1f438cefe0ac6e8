export * from './builders.ts';
export * from './manual-clock.ts';
export type {
  AccountBalance,
  BalanceChange,
  DisputeLedgerEntry,
  LedgerEntry,
  PaidOut,
  RefundLedgerEntry,
  SetupLedgerEntry,
  SimulatedProcessor,
} from './processor/simulated.ts';
export * from './store/map/map-store.ts';
