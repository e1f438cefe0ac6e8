import { commit } from '../call/commit.ts';
import {
  isOpenedSetup,
  type MethodSetup,
  type OpenedSetup,
  outcomeOf,
  type SetupOutcome,
} from '../domain/method-setup.ts';
import { keyRetentionMs, type Work } from '../domain/payment.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../domain/problem.ts';
import { err, type Result, resultOf, type Steps } from '../domain/result.ts';
import { minuteMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import { type ProcessorSetup, type SetupHandle, unknownCustomer } from '../ports/processor.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { ask, processorKey } from './ask.ts';
import { cannotRead, orUnknown } from './faults.ts';
import { giveUp, takeOverFrom } from './lease.ts';
import { timeOf } from './shared-time.ts';

/** A setup that this call works on. */
export type OpeningSetup = MethodSetup & { readonly work: Work };
type OpeningFault = FaultOf<'conflict' | 'notFound' | 'unprocessableEntity' | 'serviceUnavailable'>;
type Ending<T> = Steps<T, OpeningFault | StoreConflict | StoreUnavailable>;

/**
 * Carries a setup that this call holds to its end: opens the session at the processor and records
 * it. The same call as before is made again on a retry, under the same processor key (D20, D23).
 */
export async function* finishSetup(ports: Ports, setup: OpeningSetup): Ending<OpenedSetup> {
  if (ports.clock.now() >= setup.expiresAt) {
    return yield* adopt(ports, setup, () => close(ports, setup));
  }
  const opened = await openAtProcessor(ports, setup);
  if (opened.isOk()) return yield* recordOpened(ports, setup, opened.value);
  const { error } = opened;
  switch (error.kind) {
    case 'notSetUp':
      return yield* refused(ports, setup, error.kind);
    case 'rejected':
      return yield* refused(ports, setup, error.reason);
    case 'rateLimited':
      return yield* notOpened(ports, setup);
    case 'unavailable':
      if (error.outcome === 'notApplied') return yield* notOpened(ports, setup);
      return yield* adopt(ports, setup, () => unknown(ports, setup, error.answered));
  }
}

/** Takes an interrupted setup over, unless its holder is alive: then 409 running (D19). */
export async function* takeOverSetup(
  ports: Ports,
  setup: MethodSetup,
  before: Work,
): Steps<OpeningSetup, Fault<'conflict'> | StoreConflict | StoreUnavailable> {
  const work = yield* takeOverFrom(ports, before);
  return yield* write(ports, setup, { ...setup, work, nextCheckAt: work.leaseUntil });
}

/**
 * Does for a setup what `reconcile` finds due: carries on what was interrupted, ends one whose time is
 * over (D41), and forgets one whose keys were kept long enough, with them (D21). An old one that could
 * never be settled is forgotten as well: no money moves by it, and it is not accepted any more.
 */
export async function* settleSetup(ports: Ports, setup: MethodSetup): Ending<void> {
  const { work, outcome } = setup;
  const isOld = ports.clock.now() >= forgetAt(setup);
  if (isOpenedSetup(setup) && outcome === undefined) {
    const ended = await resultOf(endSetup(ports, setup));
    if (ended.isOk()) return;
    if (!isOld) {
      yield* postpone(ports, setup);
      return yield* ended;
    }
  }
  if (work === undefined || isOld) return yield* await forget(ports, setup);
  const taken = yield* takeOverSetup(ports, setup, work);
  yield* finishSetup(ports, taken);
}

/** Decides what became of an opened setup whose time is over, and cancels it if it is still open. */
async function* endSetup(
  ports: Ports,
  setup: OpenedSetup,
): Steps<void, Fault<'serviceUnavailable'> | StoreConflict | StoreUnavailable> {
  const seen = yield* (await readSetupAtProcessor(ports, setup)).mapErr(cannotRead);
  const now = yield* await timeOf(ports, seen);
  const outcome = outcomeOf(setup, seen, now);
  if (outcome === undefined) return yield* await lookAgain(ports, setup, setup.expiresAt - now);
  if (outcome === 'expired' && seen?.status === 'open') {
    const canceled = await ask(ports, 'cancelSetup', () =>
      ports.processor.cancelSetup({
        ...handleOfSetup(ports, setup),
        // A failure that is replayed for ever under one key must not be the end: each version has another.
        idempotencyKey: `${setup.id}:cancel:${setup.version}`,
      }),
    );
    // It may have been completed at the last moment: the next look decides by what is shown then.
    yield* canceled.mapErr(cannotRead);
  }
  yield* recordOutcome(ports, setup, outcome);
}

/** Makes it durable what became of a setup; from then on it never changes. */
export async function* recordOutcome(
  ports: Ports,
  setup: MethodSetup,
  outcome: SetupOutcome,
): Steps<void, StoreConflict | StoreUnavailable> {
  // Its keys are kept as long after an answer that was long in coming (D21).
  const nextCheckAt = Math.max(forgetAt(setup), ports.clock.now() + keyRetentionMs);
  yield* write(ports, setup, { ...setup, outcome, nextCheckAt });
}

/** As long again as it took so far: the wait doubles each time, until it is to be forgotten. */
async function* postpone(
  ports: Ports,
  setup: MethodSetup,
): Steps<void, StoreConflict | StoreUnavailable> {
  const waitMs = Math.max(minuteMs, ports.clock.now() - setup.expiresAt);
  const nextCheckAt = Math.min(ports.clock.now() + waitMs, forgetAt(setup));
  yield* write(ports, setup, { ...setup, nextCheckAt });
}

/** Its time is not over yet by the clock that counts. */
async function lookAgain(ports: Ports, setup: MethodSetup, waitMs: number) {
  const nextCheckAt = ports.clock.now() + Math.max(0, waitMs);
  return resultOf(write(ports, setup, { ...setup, nextCheckAt })).then((written) =>
    written.map(() => undefined),
  );
}

/** How the processor knows this setup. */
function handleOfSetup(ports: Ports, setup: MethodSetup): SetupHandle {
  return {
    setupId: setup.id,
    installation: ports.installation,
    begunAt: setup.createdAt,
    ...(isOpenedSetup(setup) && { reference: setup.reference }),
  };
}

/** The processor's view of a setup, read now. */
export function readSetupAtProcessor(ports: Ports, setup: MethodSetup) {
  return ask(ports, 'readSetup', () => ports.processor.readSetup(handleOfSetup(ports, setup)));
}

function openAtProcessor(ports: Ports, setup: OpeningSetup) {
  const { customerId, savePaymentMethod } = setup;
  return ask(ports, 'openSetup', () =>
    ports.processor.openSetup({
      ...handleOfSetup(ports, setup),
      customerId,
      savePaymentMethod,
      idempotencyKey: processorKey(setup, 'open'),
    }),
  );
}

/** Takes over what the processor has opened after all; otherwise does what the caller says. */
async function* adopt(
  ports: Ports,
  setup: OpeningSetup,
  otherwise: () => Ending<never>,
): Ending<OpenedSetup> {
  const read = await readSetupAtProcessor(ports, setup);
  if (read.isErr()) return yield* unknown(ports, setup, false);
  if (read.value === undefined) return yield* otherwise();
  return yield* recordOpened(ports, setup, read.value);
}

function recordOpened(
  ports: Ports,
  setup: OpeningSetup,
  { clientSecret, reference }: ProcessorSetup,
): Ending<OpenedSetup> {
  const { work: _work, ...rest } = setup;
  const nextCheckAt = setup.expiresAt;
  return write(ports, setup, { ...rest, clientSecret, reference, nextCheckAt });
}

/** The processor refuses this call; an earlier one of ours may have got through all the same. */
function refused(ports: Ports, setup: OpeningSetup, reason: string): Ending<OpenedSetup> {
  const why = whyRefused(reason);
  return isFirstCall(setup)
    ? withdraw(ports, setup, why)
    : adopt(ports, setup, () => withdraw(ports, setup, why));
}

function whyRefused(reason: string): OpeningFault {
  return reason === unknownCustomer
    ? fault('notFound', 'The payment processor does not know this customer any more.', {
        attributes: { reason: unknownCustomer },
      })
    : fault('unprocessableEntity', 'The payment processor refuses this setup.', {
        attributes: { reason },
      });
}

function isFirstCall({ work }: OpeningSetup): boolean {
  return work.fence === 1;
}

/** It is proven that nothing was opened: the claim goes, and with it all trace (D21). */
async function* withdraw(ports: Ports, setup: OpeningSetup, why: OpeningFault): Ending<never> {
  yield* await forget(ports, setup);
  return yield* err(why);
}

async function forget(
  ports: Ports,
  { id, version }: MethodSetup,
): Promise<Result<void, StoreConflict | StoreUnavailable>> {
  const written = await commit(ports, [
    { kind: 'deleteSetup', id, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: id },
  ]);
  return written.mapErr(orUnknown);
}

/**
 * This call did nothing. If it was the first, nothing was done at all; otherwise an earlier one may
 * have got through.
 */
function notOpened(ports: Ports, setup: OpeningSetup): Ending<never> {
  return isFirstCall(setup)
    ? withdraw(ports, setup, unavailable('The payment processor cannot be reached.', 'notApplied'))
    : unknown(ports, setup, false);
}

/**
 * Lets go of the work at once, so that the next retry need not wait for the lease (D20).
 * @param provedDead the last attempt did not apply and its key only replays a failure: the next
 *   one takes a new key.
 */
async function* unknown(ports: Ports, setup: OpeningSetup, provedDead: boolean): Ending<never> {
  const now = ports.clock.now();
  const { attempt } = setup.work;
  const work = { ...giveUp(setup.work, now), attempt: attempt + Number(provedDead) };
  // As long again as it took so far: the wait doubles each time, until it is to be forgotten.
  const waitMs = Math.max(minuteMs, now - setup.createdAt);
  const nextCheckAt = Math.min(now + waitMs, forgetAt(setup));
  yield* write(ports, setup, { ...setup, work, nextCheckAt });
  return yield* err(
    unavailable('The payment processor did not say whether it opened the setup.', 'unknown'),
  );
}

/** Too late to open it: its time to live has passed (D20). The key stays closed. */
async function* close(ports: Ports, setup: OpeningSetup): Ending<never> {
  const { work: _work, ...rest } = setup;
  const nextCheckAt = ports.clock.now() + keyRetentionMs;
  yield* write(ports, setup, { ...rest, nextCheckAt });
  return yield* err(setupNeverOpened());
}

/** The answer of a key whose setup was not opened in time, and never will be. */
export function setupNeverOpened(): Fault<'conflict'> {
  return fault('conflict', 'The setup was not opened in time; begin a new one with a new key.', {
    attributes: { reason: 'expired' },
  });
}

/** When a setup and its keys go: their retention begins when it can no longer be completed (D21). */
function forgetAt({ expiresAt }: MethodSetup): number {
  return expiresAt + keyRetentionMs;
}

/** Only its holder changes a setup: who finds another version was fenced out, and writes nothing. */
async function* write<S extends MethodSetup>(
  ports: Ports,
  { version }: MethodSetup,
  after: S,
): Steps<S, StoreConflict | StoreUnavailable> {
  const setup = { ...after, version: version + 1 };
  const written = await commit(ports, [{ kind: 'updateSetup', setup, expectedVersion: version }]);
  yield* written.mapErr(orUnknown);
  return setup;
}
