import { createBackground } from './call/background.ts';
import { type Call, type Caller, problemFor, toCall } from './call/call.ts';
import { type Bound, bind, type ClientOperationOf, type Merged, merge } from './call/operation.ts';
import { type CommonProblem, nameOf, perform } from './call/perform.ts';
import { report } from './call/report.ts';
import { type ChairsideOptions, checkOptions, toPorts } from './call/settings.ts';
import type { Fault, Problem, ProblemOf, ProblemType } from './domain/problem.ts';
import { err, type ResultAsync } from './domain/result.ts';
import * as listed from './operations/index.ts';

/** Every operation, by its name. */
export const operations: Merged<typeof listed> = merge(listed);

/** The name of an operation that clients call. Hosts call the others. */
export type ClientOperation = ClientOperationOf<typeof operations>;

/** The operations, bound to a host's ports. Each returns a `ResultAsync`; nothing throws. */
export interface Chairside extends Bound<typeof operations> {
  /** Functions for transports. */
  readonly transport: TransportFunctions;
  /** Resolves once no background task is running. Await it before closing the store. */
  settled(): Promise<void>;
}

/** Functions for transports, such as `@chairside/h3`. */
export interface TransportFunctions {
  /** Rejects a request for a fault that the transport found, at its place in D11's order. */
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
 * Binds every operation to the given ports. Throws a TypeError for invalid options (D74); the
 * operations never throw.
 */
export function createChairside(options: ChairsideOptions): Chairside {
  checkOptions(options);
  const background = createBackground((thrown) => {
    report(ports, { kind: 'failure', name: 'background', outcome: nameOf(thrown) });
  }, options.waitUntil);
  const ports = toPorts(options, background.run);
  return {
    ...bind(ports, operations),
    transport: {
      refuse(name, call, fault, idempotencyKey) {
        const { limit } = operations[name];
        const key = { idempotencyKey };
        const refused = perform(ports, { name, limit }, call, async () => err(fault), key);
        // cast: the error is the fault, or a common problem
        return refused as ResultAsync<never, ProblemOf<typeof fault.type | CommonProblem>>;
      },
      problem: (fault, call) => problemFor(ports, toCall(call), fault),
    },
    settled: background.settled,
  };
}
