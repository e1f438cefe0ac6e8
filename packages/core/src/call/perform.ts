import {
  badRequest,
  type Fault,
  fieldFault,
  internalError,
  type Problem,
  unavailable,
} from '../domain/problem.ts';
import { err, ok, type Result, ResultAsync, resultOf, type Steps } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Observation } from '../ports/observer.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { admit, type Named } from './admission.ts';
import { type Call, type Caller, lastResort, problemFor, toCall } from './call.ts';
import { withDeadline } from './deadline.ts';
import { isObject } from './input.ts';
import { truthful, withUnknownOutcome } from './outcome.ts';
import { report } from './report.ts';

/** The problems that every operation can return besides its own row of the error table. */
export type CommonProblem =
  | 'unauthorized'
  | 'tooManyRequests'
  | 'internalError'
  | 'serviceUnavailable';

/** The caller of use cases that only the host can reach. */
export const hostCaller: AuthContext = { subject: 'host', systemAdministrator: true };

/** One run of an operation: its ports and its caller. */
export interface Run {
  readonly ports: Ports;
  readonly auth: AuthContext;
  readonly call: Call;
  /** The id of the record that an earlier run of this call began, if it began one. */
  readonly begun: { id: string | undefined };
}

/** The errors of an operation's steps: a fault, a stored problem, or a failure of the store. */
export type StepError = Fault | Problem | StoreConflict | StoreUnavailable;

/** Running steps. The busiest operations are async functions, which cost less than a generator. */
export type Ended<T, E> = Steps<T, E> | Promise<Result<T, E>>;

/** Load, decide, act and commit run at most this often. */
const maxRuns = 8;

/**
 * The frame around every use case: it admits the caller, runs the steps, and turns their error into
 * a Problem. Steps that lost a race (`StoreConflict`) run again on the current records. The
 * processor's key stays the same, so its effects do not happen twice (D20).
 * @param inputs the operation's input, if it has one. Non-objects, which only hosts without types
 * can pass, are rejected. With a key, `notApplied` requires a look-up that found no claim (D22).
 */
export function perform<T>(
  ports: Ports,
  operation: Named,
  caller: Caller,
  act: (run: Run) => Ended<T, StepError>,
  ...inputs: readonly [input?: unknown]
): ResultAsync<T, Problem> {
  return new ResultAsync(performed());

  async function performed(): Promise<Result<T, Problem>> {
    try {
      const startedAt = ports.clock.now();
      const call = toCall(caller);
      const own = scoped(ports, call);
      const result = await attempted(own, call, startedAt);
      const outcome = result.isOk() ? 'ok' : result.error.type;
      report(own, { kind: 'operation', name: operation.name, outcome }, startedAt);
      return result;
    } catch {
      // The clock, the ids or the caller threw, so the problem cannot be built from them.
      return err(lastResort());
    }
  }

  async function attempted(
    own: Ports,
    call: Call,
    startedAt: EpochMs,
  ): Promise<Result<T, Problem>> {
    try {
      const admitted = await admit(own, operation, call);
      // The limit protects the database, so a refused caller's key is not looked up (D22).
      if (admitted.isErr()) {
        const { error } = admitted;
        const refused = keyIn(inputs[0]) === undefined ? error : withUnknownOutcome(error);
        return err(await problemOf(refused, call));
      }
      if (!inputs.every(isObject)) return err(await problemOf(noInput(), call));
      const run = {
        ports: withDeadline(own, startedAt),
        auth: admitted.value,
        call,
        begun: { id: undefined },
      };
      for (let runs = 1; ; runs += 1) {
        const ended = act(run);
        const result = await ('next' in ended ? resultOf(ended) : ended);
        if (result.isOk()) return ok(result.value);
        const { error } = result;
        if (isConflict(error) && runs < maxRuns) continue;
        return err(await problemOf(faultOf(error, runs === 1), call));
      }
    } catch (thrown) {
      const failure = { kind: 'failure', name: operation.name, outcome: nameOf(thrown) } as const;
      report(own, failure);
      return err(problemFor(ports, call, internalError()));
    }
  }

  async function problemOf(error: Fault | Problem, call: Call): Promise<Problem> {
    return 'id' in error
      ? error
      : problemFor(ports, call, await truthful(ports, call, keyIn(inputs[0]), error));
  }
}

/** The idempotency key of an input. Hosts without types may pass any value. */
function keyIn(input: unknown): string | undefined {
  const key = isObject(input) ? input['idempotencyKey'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

function noInput(): Fault<'badRequest'> {
  return badRequest([fieldFault('', 'The input must be an object.')]);
}

function isConflict(error: StepError): error is StoreConflict {
  return 'kind' in error && error.kind === 'storeConflict';
}

/** @param isFirstRun false if an earlier run may have written (D22). */
function faultOf(error: StepError, isFirstRun: boolean): Fault | Problem {
  if (!('kind' in error)) return error;
  return error.kind === 'storeConflict'
    ? unavailable('Too many requests change the same record.', 'unknown')
    : unavailable('The database is unavailable.', isFirstRun ? error.outcome : 'unknown');
}

/** The ports of one request. Their reports carry the request id. */
function scoped(ports: Ports, { requestId }: Call): Ports {
  const { observe } = ports;
  if (observe === undefined || requestId === undefined) return ports;
  return { ...ports, observe: (seen: Observation) => observe({ ...seen, requestId }) };
}

/** The class name of a thrown value. Its message may hold a secret, so it is not reported (D68). */
export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
