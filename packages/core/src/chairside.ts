import { type Call, type Caller, toCall } from './frame/access.ts';
import { reportThrown } from './frame/commit.ts';
import {
  type Bound,
  bind,
  type ClientOperationOf,
  keyedIn,
  type Merged,
  merge,
  type OperationError,
  type OperationInput,
} from './frame/operation.ts';
import { type CommonProblem, createBackground, perform, problemFor } from './frame/perform.ts';
import * as listed from './operations.ts';
import type { Ports } from './ports/ports.ts';
import type { Fault, Problem, ProblemOf, ProblemType } from './problems/problem.ts';
import { type ChairsideOptions, checkOptions, toPorts } from './settings.ts';
import { err, type ResultAsync } from './values/result.ts';

/** Every operation, by its name. */
export const operations: Merged<typeof listed> = merge(listed);

const keyed = keyedIn(operations);

/** The name of an operation that clients call. Hosts call the others. */
export type ClientOperation = ClientOperationOf<typeof operations>;

type Operations = typeof operations;
/** Every operation, those of `records` and `events` beside the others. */
type Named = Omit<Operations, 'records' | 'events'> & Operations['records'] & Operations['events'];

/** The name of an operation, such as `refundPayment` or `putAppointment`. */
export type OperationName = keyof Named;

/** The input of an operation, for hosts that write functions around it: `InputOf<'refundPayment'>`. */
export type InputOf<Name extends OperationName> = OperationInput<Named[Name]>;

/**
 * The error of an operation: `ErrorOf<'refundPayment'>`. It is a union of problems, so that a `switch` on its
 * `type` narrows it.
 */
export type ErrorOf<Name extends OperationName> = OperationError<Named[Name]>;

/** The operations, bound to a host's ports. Each returns a `ResultAsync`; nothing throws. */
export interface Chairside extends Bound<typeof operations> {
  /** Functions for transports. */
  readonly transport: TransportFunctions;
  /** The ports it was made with, for tools such as the command `chairside`. */
  readonly ports: Pick<
    Ports,
    'store' | 'processor' | 'clock' | 'installation' | 'shares' | 'home' | 'restoration'
  >;
  /** Resolves once no background task is running. Await it before closing the store. */
  settled(): Promise<void>;
}

/** Functions for transports, such as `@chairside/h3`. */
export interface TransportFunctions {
  /** Rejects a request for a fault that the transport found, in the order of the checks. */
  refuse<T extends ProblemType>(
    operation: ClientOperation,
    call: Call,
    fault: Fault<T>,
    idempotencyKey?: string,
  ): ResultAsync<never, ProblemOf<T | CommonProblem>>;

  /** Makes a Problem of a fault that belongs to no operation. */
  problem(fault: Fault, call: Caller): Problem;
}

/**
 * Binds every operation to the given ports. Throws a TypeError for invalid options; the
 * operations never throw.
 */
export function createChairside(options: ChairsideOptions): Chairside {
  checkOptions(options);
  const background = createBackground((thrown) => {
    reportThrown(ports, 'background', thrown);
  }, options.waitUntil);
  const ports = toPorts(options, background.run);
  const { store, processor, clock, installation, shares, home, restoration } = ports;
  return {
    ...bind(ports, operations, keyed),
    transport: {
      refuse(name, call, fault, idempotencyKey) {
        const { limit } = operations[name];
        const key = { idempotencyKey };
        const refused = perform(ports, { name, limit, keyed }, call, async () => err(fault), key);
        // cast: the error is the fault, or a common problem
        return refused as ResultAsync<never, ProblemOf<typeof fault.type | CommonProblem>>;
      },
      problem: (fault, call) => problemFor(ports, toCall(call), fault),
    },
    ports: { store, processor, clock, installation, shares, home, restoration },
    settled: background.settled,
  };
}
