export * from './builders.ts';
export * from './manual-clock.ts';
export { driveProcessor } from './processor/drive.ts';
export type {
  AccountBalance,
  BalanceChange,
  BookEntry,
  ChangingCall,
  DisputeBookEntry,
  DrivenCall,
  DrivenFault,
  DrivenProcessor,
  MaybePromise,
  OutsideActs,
  PaidOut,
  ProcessorControls,
  RefundBookEntry,
  SetupBookEntry,
  SetupEnd,
  SimulatedProcessor,
  WireFault,
} from './processor/simulated.ts';
export * from './store/map/map-store.ts';
