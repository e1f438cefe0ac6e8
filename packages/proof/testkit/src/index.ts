export * from './builders.ts';
export * from './manual-clock.ts';
export type { ProcessorControls } from './processor/controls.ts';
export { driveProcessor } from './processor/drive.ts';
export type {
  DrivenCall,
  DrivenFault,
  DrivenProcessor,
  WireFault,
} from './processor/driven.ts';
export type {
  AccountBalance,
  BalanceChange,
  BookEntry,
  DisputeBookEntry,
  MaybePromise,
  OutsideActs,
  PaidOut,
  RefundBookEntry,
  SetupBookEntry,
  SetupEnd,
  SimulatedProcessor,
} from './processor/simulated.ts';
export * from './store/map/map-store.ts';
