import { type MethodSetup, type OpenedSetup, setupLifetimeMs } from '../../domain/method-setup.ts';
import { keyRetentionMs } from '../../domain/payment.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../../domain/problem.ts';
import { err, type Result } from '../../domain/result.ts';
import { isAgedBy, minuteMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import {
  type ProcessorError,
  type ProcessorSetup,
  unknownCustomer,
} from '../../ports/processor-calls.ts';
import type { StoreConflict, StoreUnavailable } from '../../ports/store.ts';
import { ask, processorKey } from '../ask.ts';
import { carry } from '../carry.ts';
import { didNotSay } from '../faults.ts';
import { giveUp } from '../lease.ts';
import { decideOpening, type OpeningEnd, type OpeningSeen } from '../opening/decide-opening.ts';
import {
  forgetAt,
  forgetSetup,
  handleOfSetup,
  holdSetup,
  type OpeningSetup,
  readSetupAtProcessor,
  writeSetup,
} from './write-setup.ts';

type SetupFault = FaultOf<'conflict' | 'notFound' | 'unprocessableEntity' | 'serviceUnavailable'>;
type OpenedSetupOrFault = Promise<
  Result<OpenedSetup, SetupFault | StoreConflict | StoreUnavailable>
>;

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
function freed(setup: OpeningSetup, provedDead: boolean, now: number): MethodSetup {
  const work = giveUp(setup.work, now, provedDead);
  // Waits as long as its age, so the wait doubles each time, until the setup is forgotten.
  const waitMs = Math.max(minuteMs, now - setup.createdAt);
  return { ...setup, work, nextCheckAt: Math.min(now + waitMs, forgetAt(setup)) };
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
  return fault('conflict', 'The setup was not opened in time; begin a new one with a new key.', {
    attributes: { reason: 'expired' },
  });
}
