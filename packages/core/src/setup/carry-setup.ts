import { find, requireCustomer, requireOwn } from '../frame/access.ts';
import { commit } from '../frame/commit.ts';
import { customerNow } from '../frame/facts.ts';
import type { ClaimedRecord } from '../frame/idempotency.ts';
import { keyRetentionMs } from '../frame/record.ts';
import { ask, giveUp, processorKey, takeOver, timeOf, type Written } from '../payment/carry.ts';
import { cannotRead, didNotSay, orUnknown } from '../payment/faults.ts';
import { carryOpening, type OpeningEnd } from '../payment/opening.ts';
import { boundedWait, erasedSecret, isFinal, type Payment, type Work } from '../payment/payment.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import {
  type ProcessorError,
  type ProcessorSetup,
  type SetupHandle,
  unknownCustomer,
} from '../ports/processor.ts';
import type { CommitError, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, type FaultOf, fault } from '../problems/problem.ts';
import { err, resultOf, type Steps } from '../values/result.ts';
import { type EpochMs, minuteMs } from '../values/time.ts';
import {
  type MethodSetup,
  type OpenedSetup,
  type SeenSetup,
  type SetupOutcome,
  setupLifetimeMs,
} from './setup.ts';

/** A setup that this call holds. */
export type OpeningSetup = MethodSetup & { readonly work: Work };

function handleOfSetup(ports: Ports, setup: MethodSetup): SetupHandle {
  return {
    setupId: setup.id,
    installation: ports.installation,
    begunAt: setup.createdAt,
    now: ports.clock.now(),
    ...(isOpenedSetup(setup) && { reference: setup.reference }),
  };
}

export function isOpenedSetup(setup: MethodSetup): setup is OpenedSetup {
  return setup.clientSecret !== undefined;
}

export function readSetupAtProcessor(ports: Ports, setup: MethodSetup) {
  return ask(ports, 'readSetup', () => ports.processor.readSetup(handleOfSetup(ports, setup)));
}

/** Only its holder changes a setup. A call that finds another version was fenced out. */
export async function writeSetup<S extends MethodSetup>(
  ports: Ports,
  { version }: MethodSetup,
  after: S,
): Written<S> {
  const setup = { ...after, version: version + 1 };
  const written = await commit(ports, [{ kind: 'updateSetup', setup, expectedVersion: version }]);
  return written.map(() => setup).mapErr(orUnknown);
}

export function holdSetup(ports: Ports, setup: MethodSetup, work: Work): Written<OpeningSetup> {
  return writeSetup(ports, setup, { ...setup, work, nextCheckAt: work.leaseUntil });
}

export async function forgetSetup(ports: Ports, { id, version }: MethodSetup): Written<void> {
  const written = await commit(ports, [
    { kind: 'deleteSetup', id, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: id },
  ]);
  return written.mapErr(orUnknown);
}

/** The retention of a setup and its keys begins when it can no longer be completed. */
function forgetAt({ expiresAt }: MethodSetup): EpochMs {
  return expiresAt + keyRetentionMs;
}

/** The same once it is decided: after a late outcome, its keys are kept for the full retention as well. */
export function forgetDecidedAt({ clock }: Ports, setup: MethodSetup): EpochMs {
  const now = clock.now();
  return boundedWait(Math.max(forgetAt(setup), now + keyRetentionMs), now);
}

export type SetupFault = FaultOf<
  'conflict' | 'notFound' | 'unprocessableEntity' | 'serviceUnavailable'
>;
type OpenedSetupOrFault = Written<OpenedSetup, SetupFault>;

/**
 * Finishes a setup that this call holds: opens the session at the processor and records it. A retry
 * repeats the same call under the same processor key (D20, D23).
 * @param before `unread`: reads the processor before it opens again.
 */
export function finishSetup(
  ports: Ports,
  setup: OpeningSetup,
  before?: 'unread',
): OpenedSetupOrFault {
  return carryOpening<OpeningSetup, ProcessorSetup, OpenedSetup, SetupFault>(ports, setup, before, {
    lifetimeMs: setupLifetimeMs,
    read: (held) => readSetupAtProcessor(ports, held),
    send: async (held) => ({ sent: await sendOpeningSetup(ports, held) }),
    hold: holdSetup,
    end: (held, end) => endOpeningSetup(ports, held, end),
  });
}

function sendOpeningSetup(ports: Ports, setup: OpeningSetup) {
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

async function endOpeningSetup(
  ports: Ports,
  setup: OpeningSetup,
  end: OpeningEnd<ProcessorSetup>,
): OpenedSetupOrFault {
  const now = ports.clock.now();
  switch (end.next) {
    case 'record': {
      const { clientSecret, reference } = end.seen;
      const { work: _work, ...rest } = setup;
      const nextCheckAt = setup.expiresAt;
      return writeSetup(ports, setup, { ...rest, clientSecret, reference, nextCheckAt });
    }
    case 'withdraw': {
      const forgotten = await forgetSetup(ports, setup);
      return forgotten.andThen(() => err(setupRefusal(end.error)));
    }
    case 'unknown': {
      const written = await writeSetup(ports, setup, freed(setup, end.needsNewKey, now));
      return written.andThen(() => err(didNotSay('it opened the setup')));
    }
    case 'close': {
      const { work: _work, ...rest } = setup;
      const closed = { ...rest, nextCheckAt: now + keyRetentionMs };
      const written = await writeSetup(ports, setup, closed);
      return written.andThen(() => err(setupNeverOpened()));
    }
  }
}

/** Released at once, so that a retry need not wait for the lease. */
function freed(setup: OpeningSetup, needsNewKey: boolean, now: EpochMs): MethodSetup {
  const work = giveUp(setup.work, now, needsNewKey);
  return { ...setup, work, nextCheckAt: laterCheck(setup, setup.createdAt, now) };
}

/** The wait doubles with each check, because it is as long as the time since `begunAt`. */
function laterCheck(setup: MethodSetup, begunAt: EpochMs, now: EpochMs): EpochMs {
  return Math.min(now + Math.max(minuteMs, now - begunAt), forgetAt(setup));
}

/**
 * The outcome of a setup; `undefined` while the customer may still complete it. A setup completed
 * by `expiresAt` counts as completed. Without a time of completion from the processor, the time of
 * this observation counts (D41).
 * @param now the time to use if the processor states none.
 */
export function outcomeOf(
  setup: MethodSetup,
  seen: SeenSetup | undefined,
  now: EpochMs,
): SetupOutcome | undefined {
  if (setup.outcome !== undefined) return setup.outcome;
  // A setup that the processor does not know can no longer be completed.
  if (seen === undefined || seen.status === 'canceled') return 'canceled';
  const at = seen.at ?? now;
  if (seen.status === 'open') return at >= setup.expiresAt ? 'expired' : undefined;
  return (seen.completedAt ?? at) <= setup.expiresAt ? 'completed' : 'expired';
}

function setupRefusal(error: ProcessorError): SetupFault {
  if (error.kind !== 'notSetUp' && error.kind !== 'rejected') return cannotRead();
  const reason = error.kind === 'rejected' ? error.reason : error.kind;
  return reason === unknownCustomer
    ? fault('notFound', 'The payment processor no longer knows this customer.', {
        attributes: { reason: unknownCustomer },
      })
    : fault('unprocessableEntity', 'The payment processor rejected this setup.', {
        attributes: { reason },
      });
}

/** The response to a key whose setup was not opened in time, and never will be. */
export function setupNeverOpened(): Fault<'conflict'> {
  return conflict('expired', 'The setup was not opened in time; begin a new one with a new key.');
}

/** Records the outcome of a setup, which never changes afterwards. */
export async function* recordOutcome(
  ports: Ports,
  setup: MethodSetup,
  outcome: SetupOutcome,
): Steps<void, CommitError> {
  const nextCheckAt = forgetDecidedAt(ports, setup);
  yield* await writeSetup(ports, setup, { ...setup, outcome, nextCheckAt });
}

/**
 * Whether a setup's method can be charged again. A charge that was refused, canceled or withdrawn
 * took no money, so the method is `free` again. `usedUp`: it was for a single appointment.
 */
export type MethodUse = 'free' | 'underWay' | 'usedUp';

export async function* readMethodUse(
  ports: Ports,
  { chargeId, savePaymentMethod }: MethodSetup,
): Steps<MethodUse, StoreUnavailable> {
  if (chargeId === undefined) return 'free';
  const charge: Payment | undefined = yield* await ports.store.payments.get(chargeId);
  if (charge === undefined) return 'free';
  if (!isFinal(charge)) return 'underWay';
  return charge.state === 'captured' && !savePaymentMethod ? 'usedUp' : 'free';
}

/**
 * Does the due work of a setup: continues an interrupted opening, ends an overdue one, and
 * forgets one with its keys after their retention. An old setup that could never be ended
 * is forgotten too: it moves no money and is no longer accepted.
 */
export async function* finishDueSetup(
  ports: Ports,
  setup: MethodSetup,
): Steps<void, SetupFault | CommitError> {
  const now = ports.clock.now();
  const { work, outcome, nextCheckAt = now } = setup;
  const isOld = now >= forgetAt(setup);
  if (isOpenedSetup(setup) && outcome === undefined) {
    const ended = await resultOf(endSetup(ports, setup));
    if (ended.isOk()) return;
    if (!isOld) {
      const later = laterCheck(setup, setup.expiresAt, now);
      yield* await writeSetup(ports, setup, { ...setup, nextCheckAt: later });
      return yield* ended;
    }
  }
  if (work === undefined && nextCheckAt > now) {
    // Its keys are still kept. It was listed for a moment that is long past, or a wrong clock has written when
    // to forget them.
    const waiting = { ...setup, nextCheckAt: boundedWait(nextCheckAt, now) };
    if (waiting.nextCheckAt < nextCheckAt) yield* await writeSetup(ports, setup, waiting);
    return;
  }
  if (work === undefined || isOld) {
    const kept = yield* keptForCharges(ports, setup);
    return kept === undefined
      ? yield* await forgetSetup(ports, setup)
      : yield* await keepSetup(ports, setup, kept);
  }
  const taken = yield* await takeOver(ports, setup, work, holdSetup);
  yield* await finishSetup(ports, taken, 'unread');
}

/** Absent: there is no further check. */
type NextCheck = Pick<MethodSetup, 'nextCheckAt'>;

/**
 * Whether a setup's method may still be charged, so that it outlives its keys: until the customer
 * withdraws, or it is used up. Returns the time of the next check, if there is one.
 */
async function* keptForCharges(
  ports: Ports,
  setup: MethodSetup,
): Steps<NextCheck | undefined, StoreUnavailable> {
  const { outcome, releasedAt } = setup;
  if (ports.processor.charges === undefined || outcome !== 'completed') return undefined;
  const use = yield* readMethodUse(ports, setup);
  if (use === 'underWay') return { nextCheckAt: ports.clock.now() + keyRetentionMs };
  if (use === 'usedUp' || releasedAt !== undefined) return undefined;
  return {};
}

/** Forgets the keys and the secret of a setup, and keeps its method. */
async function keepSetup(ports: Ports, setup: MethodSetup, next: NextCheck): Written<void> {
  const { nextCheckAt: _checked, version, ...rest } = setup;
  const kept: MethodSetup = {
    ...rest,
    ...next,
    clientSecret: erasedSecret,
    version: version + 1,
  };
  const written = await commit(ports, [
    { kind: 'updateSetup', setup: kept, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: setup.id },
  ]);
  return written.mapErr(orUnknown);
}

/**
 * Decides the outcome of an opened setup whose time is over, and cancels it if it is still open.
 */
async function* endSetup(
  ports: Ports,
  setup: OpenedSetup,
): Steps<void, Fault<'serviceUnavailable'> | CommitError> {
  const seen = yield* (await readSetupAtProcessor(ports, setup)).mapErr(cannotRead);
  const now = yield* await timeOf(ports, seen);
  const outcome = outcomeOf(setup, seen, now);
  if (outcome === undefined) {
    // By the shared clock, its time is not over yet.
    const own = ports.clock.now();
    const nextCheckAt = boundedWait(own + setup.expiresAt - now, own);
    yield* await writeSetup(ports, setup, { ...setup, nextCheckAt });
    return;
  }
  if (seen?.status === 'open') {
    const canceled = await ask(ports, 'cancelSetup', () =>
      ports.processor.cancelSetup({
        ...handleOfSetup(ports, setup),
        // The processor replays a failure for ever under one key, so each version has its own key.
        idempotencyKey: `${setup.id}:cancel:${setup.version}`,
      }),
    );
    // It may have been completed at the last moment, so the next check decides.
    yield* canceled.mapErr(cannotRead);
  }
  yield* recordOutcome(ports, setup, outcome);
}

/** Finds an opened setup for its customer or a system administrator. */
export async function* findOwnSetup(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<OpenedSetup, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const isAdministrator = auth.systemAdministrator === true;
  if (!isAdministrator) yield* requireCustomer(auth);
  const setup = yield* await find('payment method setup', id, ports.store.setups, isOpenedSetup);
  const isOwn =
    isAdministrator ||
    auth.customerId === setup.customerId ||
    auth.customerId === (yield* customerNow(ports.store, setup.customerId));
  yield* requireOwn(isOwn, 'payment method setup');
  return setup;
}

/** Whether the setup of a key was opened, or still may be. */
export async function setupMayBeOpened(
  { store }: Ports,
  { resourceId }: ClaimedRecord,
): Promise<boolean> {
  const setup = await store.setups.get(resourceId);
  if (setup.isErr()) return true;
  if (setup.value === undefined) return false;
  // An unopened setup without work was closed; it will never be opened.
  return isOpenedSetup(setup.value) || setup.value.work !== undefined;
}
