import { commit } from '../../call/commit.ts';
import {
  isOpenedSetup,
  type MethodSetup,
  type OpenedSetup,
  type SetupOutcome,
  setupLifetimeMs,
} from '../../domain/method-setup.ts';
import { keyRetentionMs, type Work } from '../../domain/payment.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../../domain/problem.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, type Steps } from '../../domain/result.ts';
import { type EpochMs, isAgedBy, minuteMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import {
  type ProcessorError,
  type ProcessorSetup,
  type SetupHandle,
  unknownCustomer,
} from '../../ports/processor-calls.ts';
import type { CommitError } from '../../ports/store.ts';
import { ask, processorKey } from '../ask.ts';
import { carry, type Written } from '../carry.ts';
import { didNotSay, orUnknown } from '../faults.ts';
import { giveUp } from '../lease.ts';
import { decideOpening, type OpeningEnd, type OpeningSeen } from '../opening/decide-opening.ts';

/** A setup that this call holds. */
export type OpeningSetup = MethodSetup & { readonly work: Work };

export function handleOfSetup(ports: Ports, setup: MethodSetup): SetupHandle {
  return {
    setupId: setup.id,
    installation: ports.installation,
    begunAt: setup.createdAt,
    ...(isOpenedSetup(setup) && { reference: setup.reference }),
  };
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

/** The retention of a setup and its keys begins when it can no longer be completed (D21). */
export function forgetAt({ expiresAt }: MethodSetup): EpochMs {
  return expiresAt + keyRetentionMs;
}

/** The same once it is decided: after a late outcome, its keys are kept for the full retention as well. */
export function forgetDecidedAt({ clock }: Ports, setup: MethodSetup): EpochMs {
  return Math.max(forgetAt(setup), clock.now() + keyRetentionMs);
}

export type SetupFault = FaultOf<
  'conflict' | 'notFound' | 'unprocessableEntity' | 'serviceUnavailable'
>;
type OpenedSetupOrFault = Written<OpenedSetup, SetupFault>;

/**
 * Finishes a setup that this call holds: opens the session at the processor and records it. A retry
 * repeats the same call under the same processor key (D20, D23).
 * @param before `unread`: reads the processor before it opens again (D42).
 */
export function finishSetup(
  ports: Ports,
  setup: OpeningSetup,
  before?: 'unread',
): OpenedSetupOrFault {
  const known: Omit<OpeningSeen<ProcessorSetup>, 'isOver'> = {
    isFirstCall: setup.work.fence === 1,
    before,
  };
  const isOver = () => isAgedBy(setupLifetimeMs, setup.createdAt, ports.clock.now());
  return carry(ports, setup, known, {
    decide: (_, seen) => decideOpening({ ...seen, isOver: isOver() }),
    steps: {
      readBefore: async (held) => ({ before: await readSetupAtProcessor(ports, held) }),
      send: async (held) => ({ sent: await sendOpeningSetup(ports, held) }),
      readAfter: async (held) => ({ after: await readSetupAtProcessor(ports, held) }),
    },
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
      const written = await writeSetup(ports, setup, freed(setup, end.provedDead, now));
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

/** Released at once, so that a retry need not wait for the lease (D20). */
function freed(setup: OpeningSetup, provedDead: boolean, now: EpochMs): MethodSetup {
  const work = giveUp(setup.work, now, provedDead);
  return { ...setup, work, nextCheckAt: laterCheck(setup, setup.createdAt, now) };
}

/** The wait doubles with each check, because it is as long as the time since `begunAt`. */
export function laterCheck(setup: MethodSetup, begunAt: EpochMs, now: EpochMs): EpochMs {
  return Math.min(now + Math.max(minuteMs, now - begunAt), forgetAt(setup));
}

function setupRefusal(error: ProcessorError): SetupFault {
  switch (error.kind) {
    case 'notSetUp':
      return setupRefused(error.kind);
    case 'rejected':
      return setupRefused(error.reason);
    default:
      return unavailable('The payment processor is unavailable.', 'notApplied');
  }
}

function setupRefused(reason: string): SetupFault {
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
