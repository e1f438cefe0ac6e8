import type { Chairside } from '@chairside/core';
import type { Evidence } from '../check/evidence.ts';
import type { Faults, Gate } from '../gate/gate.ts';
import type { Scheduler } from '../gate/scheduler.ts';
import type { BusinessName, Plan } from '../plan/plan.ts';
import type { World } from '../world.ts';
import type { AppointmentFacts, BusinessFacts } from './shop.ts';

export const installation = 'simulation';
export const anotherInstallation = 'another';

/** Larger than the number of any action. */
export const upkeepAction = 1_000_000;

/** One world, and the state of its run. */
export interface Run {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly evidence: Evidence;
  readonly gate: Gate;
  readonly world: () => World;
  /** The clients' knowledge: the first response for each payment, by its name. */
  readonly opened: Map<string, { readonly id: string; readonly clientSecret: string }>;
  readonly references: Map<string, string>;
  /** The same for setups, and for terminals by barber and device. */
  readonly setups: Map<string, { readonly id: string; readonly clientSecret: string }>;
  readonly terminals: Map<string, string>;
  /**
   * The host's view of its appointments, by number: each of its writes contains the whole record.
   */
  readonly appointments: Map<number, AppointmentFacts>;
  /** The same of its businesses. */
  readonly businesses: Map<BusinessName, BusinessFacts>;
  /** Barbers who have lost their role, by number. */
  readonly roleless: Set<number>;
  /** Messages of the processor that wait to be sent or repeated. */
  readonly mail: string[];
  /** Tasks that have begun and must end. */
  readonly begun: Set<string>;
  /** The core for one request of an action, on one of two nodes. */
  serve(action: number, isLimited?: boolean, installation?: string): Service;
  /** The core without turns, faults or rate limits, for what only reads. */
  ungated(): Chairside;
  /** All processes end, and others start with the database of a backup (D210). */
  restore(backup: () => void): void;
  /** Ends faults and wrong clocks, and restores lost roles. */
  heal(): void;
}

export interface Service {
  readonly chairside: Chairside;
  /** A request begins: unless another is under way, all that is done from now on is done for it. */
  begin(): void;
  /** Absent if the harness has no HTTP. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** The response; `undefined` if the node died. */
  answer<T>(asked: PromiseLike<T>): Promise<T | undefined>;
}
