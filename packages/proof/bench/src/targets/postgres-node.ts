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

/** The reply to the second message, `finish`. */
export interface NodeReport {
  readonly cpuMicroseconds: number;
  readonly takenMinor: number;
}
