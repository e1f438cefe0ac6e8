import type { Action } from './action.ts';
import type { FaultKind } from './fault-kinds.ts';

/**
 * One run as data, which can be printed, shrunk and committed as a test. Everything else, such as
 * the duration of a call, is derived from the seed.
 */
export interface Plan {
  readonly seed: number;
  readonly appointments: number;
  readonly actions: readonly Action[];
  readonly faults: readonly PlannedFault[];
  /** The limit of calls a minute for one caller; no limit if absent. */
  readonly writesPerMinute?: number;
  /** How far the second node's clock is ahead, and that of the processor's adapter; 0 if absent. */
  readonly skewMs?: number;
  /** The processor's lists of disputes are empty, so its messages alone tell of them. */
  readonly hidesDisputes?: true;
}

/**
 * The fault of a port call of an action: of its `call`th, counted over all its requests, or of the one with this
 * name, such as `commit#2`. Stories and planted bugs name it, because a change of the core moves the numbers.
 */
export interface PlannedFault {
  readonly action: number;
  readonly call: number | string;
  readonly kind: FaultKind;
}
