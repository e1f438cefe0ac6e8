import {
  isOpenedSetup,
  type MethodSetup,
  type OpenedSetup,
  outcomeOf,
  type SetupOutcome,
} from '../../domain/method-setup.ts';
import { keyRetentionMs } from '../../domain/payment.ts';
import type { Fault, FaultOf } from '../../domain/problem.ts';
import { resultOf, type Steps } from '../../domain/result.ts';
import { minuteMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../../ports/store.ts';
import { ask } from '../ask.ts';
import { takeOver } from '../carry.ts';
import { cannotRead } from '../faults.ts';
import { timeOf } from '../shared-time.ts';
import { finishSetup } from './opening-setup.ts';
import {
  forgetAt,
  forgetSetup,
  handleOfSetup,
  holdSetup,
  readSetupAtProcessor,
  writeSetup,
} from './write-setup.ts';

type SettleFault = FaultOf<'conflict' | 'notFound' | 'unprocessableEntity' | 'serviceUnavailable'>;
type Ending<T> = Steps<T, SettleFault | StoreConflict | StoreUnavailable>;

/**
 * Does the due work of a setup: continues an interrupted opening, ends an overdue one (D41), and
 * forgets one with its keys after their retention (D21). An old setup that could never be settled
 * is forgotten too: it moves no money and is no longer accepted.
 */
export async function* settleSetup(ports: Ports, setup: MethodSetup): Ending<void> {
  const { work, outcome } = setup;
  const isOld = ports.clock.now() >= forgetAt(setup);
  if (isOpenedSetup(setup) && outcome === undefined) {
    const ended = await resultOf(endSetup(ports, setup));
    if (ended.isOk()) return;
    if (!isOld) {
      yield* postponeSetup(ports, setup);
      return yield* ended;
    }
  }
  if (work === undefined || isOld) return yield* await forgetSetup(ports, setup);
  const taken = yield* await takeOver(ports, setup, work, holdSetup);
  yield* await finishSetup(ports, taken, 'unread');
}

/**
 * Decides the outcome of an opened setup whose time is over, and cancels it if it is still open.
 */
async function* endSetup(
  ports: Ports,
  setup: OpenedSetup,
): Steps<void, Fault<'serviceUnavailable'> | StoreConflict | StoreUnavailable> {
  const seen = yield* (await readSetupAtProcessor(ports, setup)).mapErr(cannotRead);
  const now = yield* await timeOf(ports, seen);
  const outcome = outcomeOf(setup, seen, now);
  if (outcome === undefined)
    return yield* await lookAgainAtSetup(ports, setup, setup.expiresAt - now);
  if (outcome === 'expired' && seen?.status === 'open') {
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

/** Records the outcome of a setup, which never changes afterwards. */
export async function* recordOutcome(
  ports: Ports,
  setup: MethodSetup,
  outcome: SetupOutcome,
): Steps<void, StoreConflict | StoreUnavailable> {
  // After a late outcome, its keys are kept for the full retention as well (D21).
  const nextCheckAt = Math.max(forgetAt(setup), ports.clock.now() + keyRetentionMs);
  yield* await writeSetup(ports, setup, { ...setup, outcome, nextCheckAt });
}

/** As long again as its age: the wait doubles each time, until the setup is forgotten. */
async function* postponeSetup(
  ports: Ports,
  setup: MethodSetup,
): Steps<void, StoreConflict | StoreUnavailable> {
  const waitMs = Math.max(minuteMs, ports.clock.now() - setup.expiresAt);
  const nextCheckAt = Math.min(ports.clock.now() + waitMs, forgetAt(setup));
  yield* await writeSetup(ports, setup, { ...setup, nextCheckAt });
}

/** By the shared clock, its time is not over yet. */
async function lookAgainAtSetup(ports: Ports, setup: MethodSetup, waitMs: number) {
  const nextCheckAt = ports.clock.now() + Math.max(0, waitMs);
  const written = await writeSetup(ports, setup, { ...setup, nextCheckAt });
  return written.map(() => undefined);
}
