import type { Span } from '../load.ts';
import { byHand, createGroupedRun, createRun } from './postgres-by-hand.ts';
import { chairside } from './postgres-chairside.ts';

export const services = {
  byHand: byHand(createRun),
  grouped: byHand(createGroupedRun),
  chairside,
};

/** The first message to a node, which replies with its port. */
export interface NodeTask {
  readonly kind: keyof typeof services;
  readonly connectionString: string;
  /** The file for the CPU profile of the process. */
  readonly profile: string | undefined;
}

/** The second message. */
export interface Finish {
  readonly measured: Span;
}

/** The reply to the second message. */
export interface NodeReport {
  /** CPU time in a second of the measured time. */
  readonly cpuMicrosecondsASecond: number;
  readonly takenMinor: number;
}
