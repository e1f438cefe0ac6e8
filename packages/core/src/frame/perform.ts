import type {
  AuthContext,
  Home,
  Homed,
  Observation,
  Ports,
  RateLimitClass,
} from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  badRequest,
  type Fault,
  fault,
  fieldFault,
  internalError,
  type Problem,
  type ProblemType,
  toProblem,
  unavailable,
  unknownRetryLater,
} from '../problems/problem.ts';
import { err, ok, type Result, ResultAsync, resultOf, type Steps } from '../values/result.ts';
import { createIds, webRandom } from '../values/text.ts';
import { type EpochMs, systemClock } from '../values/time.ts';
import { admit, type Call, type Caller, isAuthContext, toCall, UnfitRecord } from './access.ts';
import { isConflict, report, reportThrown, tell } from './commit.ts';
import {
  drawRestoration,
  isSameWorld,
  namesMore,
  ownWorld,
  readRestoration,
  readWorld,
  type StoreWorld,
  writeWorld,
} from './facts.ts';
import {
  type KeyedOperations,
  type KeyUse,
  mayBeApplied,
  otherRequest,
  storeProblem,
} from './idempotency.ts';
import type { Acting } from './record.ts';

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
  /** The name of the operation. */
  readonly name: string;
  /** The id of the record that an earlier run of this call began, if it began one. */
  readonly begun: { id: string | undefined };
}

/** The errors of an operation's steps: a fault, a stored problem, or a failure of the store. */
export type StepError = Fault | Problem | StoreConflict | StoreUnavailable;

/** Running steps. The busiest operations are async functions, which cost less than a generator. */
export type Ended<T, E> = Steps<T, E> | Promise<Result<T, E>>;

/** What the frame knows of the operation in it. */
export interface Named {
  readonly name: string;
  /** The rate limit that counts it. `none` marks the host's. */
  readonly limit: RateLimitClass | 'none';
  /** The operations with a key. The caller may have used this key with any of them. */
  readonly keyed: KeyedOperations;
  /** It may run in any world. */
  readonly isAnywhere?: boolean | undefined;
}

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
      const refused = result.isErr() ? subjectIn(call) : {};
      report(own, { kind: 'operation', name: operation.name, outcome, ...refused }, startedAt);
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
      if (!inputs.every(isObject)) {
        const fault = badRequest([fieldFault('', 'The input must be an object.')]);
        return err(await problemOf(fault, call));
      }
      // In use the difference is known, so that no request waits for it.
      const known = own.sharedClock?.aheadMs();
      // Stryker disable next-line ConditionalExpression: only the speed differs.
      const ahead = known instanceof Promise ? await known : known;
      if (ahead?.isErr()) return err(await problemOf(told(own, ahead.error, true), call));
      const home = operation.isAnywhere === true ? undefined : own.home?.check();
      // Stryker disable next-line ConditionalExpression: only the speed differs.
      const homed = home instanceof Promise ? await home : home;
      if (homed?.isErr()) return err(await problemOf(told(own, homed.error, true), call));
      const run = {
        ports: { ...withDeadline(own, startedAt, ahead?.unwrapOr(0)), acting: actingIn(call) },
        auth: admitted.value,
        call,
        name: operation.name,
        begun: { id: undefined },
      };
      for (let runs = 1; ; runs += 1) {
        const ended = act(run);
        const result = await ('next' in ended ? resultOf(ended) : ended);
        if (result.isOk()) return ok(result.value);
        const { error } = result;
        if (isConflict(error) && runs < maxRuns) continue;
        return err(await problemOf(told(own, error, runs === 1), call));
      }
    } catch (thrown) {
      reportThrown(own, operation.name, thrown);
      return err(problemFor(ports, call, internalError()));
    }
  }

  /** No read is observed, and the 503 of an operation may also come from the processor. */
  function told(own: Ports, error: StepError, isFirstRun: boolean): Fault | Problem {
    const fault = faultOf(error, isFirstRun);
    const isStore = 'kind' in error && error.kind === 'storeUnavailable';
    if (isStore && fault.type === 'serviceUnavailable') {
      report(own, { kind: 'failure', name: operation.name, outcome: error.kind });
    }
    return fault;
  }

  async function problemOf(error: Fault | Problem, call: Call): Promise<Problem> {
    return 'id' in error
      ? error
      : problemFor(
          ports,
          call,
          await truthful(ports, operation.keyed, call, error, keyIn(inputs[0])),
        );
  }
}

/** The caller, if it is one. */
function subjectIn({ auth }: Call): { readonly subject?: string } {
  const isKnown = auth !== undefined && auth !== 'rejectedToken' && isAuthContext(auth);
  return isKnown ? { subject: auth.subject } : {};
}

/** Who acts: the caller of an admitted call. The host's own tasks name nobody. */
function actingIn({ auth, requestId }: Call): Acting | undefined {
  const isHost = auth === undefined || auth === 'rejectedToken' || auth === hostCaller;
  return isHost ? undefined : { subject: auth.subject, requestId };
}

/** The idempotency key of an input. Hosts without types may pass any value. */
function keyIn(input: unknown): string | undefined {
  const key = isObject(input) ? input['idempotencyKey'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** @param isFirstRun false if an earlier run may have written. */
function faultOf(error: StepError, isFirstRun: boolean): Fault | Problem {
  if (!('kind' in error)) return error;
  // A retry would find the same row.
  const isUnfit = isFirstRun && error.kind === 'storeUnavailable' && error.outcome === 'notApplied';
  if (isUnfit && error.cause instanceof UnfitRecord) {
    return fault('internalError', error.cause.detail);
  }
  return error.kind === 'storeConflict'
    ? unavailable('Too many requests change the same record.', 'unknown')
    : unavailable('The database is unavailable.', isFirstRun ? error.outcome : 'unknown');
}

/** The ports of one request. Their reports carry the request id. */
function scoped(ports: Ports, { requestId }: Call): Ports {
  const { observe, onFailure } = ports;
  if (requestId === undefined || (observe ?? onFailure) === undefined) return ports;
  return {
    ...ports,
    observe: observe && ((seen: Observation) => observe({ ...seen, requestId })),
    onFailure: onFailure && ((thrown, context) => onFailure(thrown, { ...context, requestId })),
  };
}

/** A request starts processor calls only within this many processor deadlines. */
const deadlinesPerRequest = 2;

/**
 * The ports of a request that began at this time. A slow processor cannot prolong it without limit.
 * @param aheadMs by how much the node's clock is ahead of the time that all nodes share.
 */
export function withDeadline(ports: Ports, startedAt: EpochMs, aheadMs = 0): Ports {
  const { clock } = ports;
  // The difference is fixed, so that the time of a request does not jump when it is measured again.
  const shared = { clock: { now: () => clock.now() - aheadMs }, sharedClock: undefined };
  const own = aheadMs === 0 ? ports : { ...ports, ...shared };
  const endsAt = startedAt - aheadMs + deadlinesPerRequest * ports.processor.deadlineMs;
  // Without a finite deadline of the processor there is no limit (D146).
  return Number.isFinite(endsAt) ? { ...own, endsAt } : own;
}

/** The ports of background work, for which no client waits and which no person started. */
export function withoutDeadline(ports: Ports): Ports {
  return { ...ports, endsAt: undefined, acting: undefined };
}

/** These refusals do not depend on the key: the same request gets them again. */
const keepsRetry: ReadonlySet<ProblemType> = new Set([
  'badRequest',
  'forbidden',
  'notFound',
  'unsupportedMediaType',
  'internalError',
]);

/**
 * Corrects the recovery of a refusal under a key, which comes from its reason (`reasons.ts`). `notApplied` requires
 * a look-up that found no claim (D22), because the client may have missed the response to an earlier attempt.
 */
async function truthful(
  ports: Ports,
  keyed: KeyedOperations,
  { auth }: Call,
  fault: Fault,
  key: string | undefined,
): Promise<Fault> {
  const { recovery } = fault;
  if (recovery.outcome === 'unknown' || key === undefined) return fault;
  if (auth === undefined || auth === 'rejectedToken') return fault;
  // The comparison of fingerprints has proved that this request was not applied.
  if (fault === otherRequest) return fault;
  if (!(await mayBeApplied(ports, keyed, auth.subject, key))) return fault;
  return keepsRetry.has(fault.type)
    ? withUnknownOutcome(fault)
    : { ...fault, recovery: { ...recovery, ...unknownRetryLater } };
}

/** The same refusal, before or without a look-up of the request's key. */
export function withUnknownOutcome<F extends Fault>(fault: F): F {
  return { ...fault, recovery: { ...fault.recovery, outcome: 'unknown' } };
}

/** Longer instances are left out, and so are relative ones. */
const maxInstanceLength = 2048;

/**
 * Makes a fault the problem of this call, at the end of the call or earlier, to be stored under a
 * key.
 */
export function problemFor<T extends ProblemType>(
  ports: Ports,
  call: Call,
  fault: Fault<T>,
): Problem<T> {
  const { instance } = call;
  return toProblem(fault, {
    newId: () => ports.ids.next('prb'),
    at: ports.clock.now(),
    ...(instance !== undefined && canBeInstance(instance) && { instance }),
  });
}

/** Passes on what a request asks for. A request that is refused gets the same answer again under its key. */
export async function storeRefusal<T, P extends ProblemType>(
  { ports, call }: Run,
  use: KeyUse,
  asked: Result<T, Fault<P>>,
): Promise<Result<T, Problem<P> | StoreConflict | StoreUnavailable>> {
  if (asked.isOk()) return ok(asked.value);
  return storeProblem(ports, use, problemFor(ports, call, asked.error));
}

const absolute = /^[a-z][a-z\d+.-]*:\/\//i;

function canBeInstance(uri: string): boolean {
  return uri.length <= maxInstanceLength && absolute.test(uri);
}

function lastResort(): Problem {
  const ids = createIds(systemClock, webRandom);
  return toProblem(internalError(), { newId: () => ids.next('prb'), at: systemClock.now() });
}

/** Runs work after the response was sent, and lets a host wait for it. */
export interface Background {
  run(task: () => Promise<void>): void;
  /** Resolves once no task is running. */
  settled(): Promise<void>;
}

/** Keeps the process alive until the promise settles, as serverless platforms offer it. */
export type WaitUntil = (task: Promise<void>) => void;

/** `reconcile` does the tasks beyond this limit. */
const maxTasks = 256;

/**
 * @param onThrown receives what a task throws.
 * @param waitUntil receives each task, for a host whose process may stop after a response.
 */
export function createBackground(
  onThrown: (thrown: unknown) => void,
  waitUntil?: WaitUntil,
): Background {
  let running = 0;
  let waiting: (() => void)[] = [];
  const end = () => {
    running -= 1;
    if (running > 0) return;
    for (const resume of waiting) resume();
    waiting = [];
  };
  return {
    run(task) {
      if (running >= maxTasks) return;
      running += 1;
      // Deferred, so that the response does not wait for the synchronous start of the task.
      tell(waitUntil, Promise.resolve().then(task).catch(onThrown).finally(end));
    },
    async settled() {
      while (running > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

/** Compares the store's world with this process's once, before its first operation. */
export function createHome(ports: Ports): Home {
  const own = ownWorld(ports);
  let known: Homed | undefined;
  let running: Promise<Homed> | undefined;
  let since = 0;
  let leastVersion = 0;

  async function readOwn() {
    const read = await readWorld(ports);
    if (read.isErr()) return err(read.error);
    const { stored } = read.value;
    const isOther = stored !== undefined && !isSameWorld(stored, own);
    return isOther ? err(otherWorld(stored, own)) : ok(read.value);
  }

  async function compare(isAgain = false): Promise<Homed> {
    const read = await readOwn();
    if (read.isErr()) return err(read.error);
    const { fact, stored } = read.value;
    if (stored === undefined || namesMore(own, stored)) {
      const written = await writeWorld(ports, fact, { ...own, ...stored });
      // Another node came first, perhaps of another world.
      if (written.isErr()) return isAgain || !isConflict(written.error) ? written : compare(true);
    }
    const { restoration } = ports;
    const latest = restoration
      ? await drawRestoration(ports)
      : (await readRestoration(ports)).map(({ number }) => number);
    if (latest.isErr()) return err(latest.error);
    leastVersion = latest.value;
    if (restoration !== undefined) restoration.number = leastVersion;
    since = stored?.since ?? 0;
    known = ok();
    return known;
  }

  return {
    check() {
      if (known !== undefined) return known;
      running ??= compare().finally(() => {
        running = undefined;
      });
      return running;
    },
    look: async () => (await readOwn()).map(() => undefined),
    since: () => since,
    leastVersion: () => leastVersion,
  };
}

/** An earlier request under the same key may have been applied in the other world. */
function otherWorld(stored: StoreWorld, own: StoreWorld): Fault<'serviceUnavailable'> {
  const detail = `The database belongs to ${named(stored)}, and this process to ${named(own)}.`;
  return fault('serviceUnavailable', detail, {
    attributes: { reason: 'otherWorld' },
    recovery: unknownRetryLater,
  });
}

function named({ processor = 'a processor', mode, account, installation }: StoreWorld): string {
  const of = [processor, mode, account].filter((one) => one !== undefined).join(' ');
  return `${of}, installation ${installation}`;
}
