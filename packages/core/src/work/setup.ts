import {
  isOpenedSetup,
  type MethodSetup,
  type OpenedSetup,
  outcomeOf,
  type SetupOutcome,
} from '../domain/method-setup.ts';
import { keyRetentionMs } from '../domain/payment.ts';
import type { Fault, FaultOf } from '../domain/problem.ts';
import { resultOf, type Steps } from '../domain/result.ts';
import { minuteMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { ask } from './ask.ts';
import { cannotRead } from './faults.ts';
import { finishSetup } from './opening-setup.ts';
import { timeOf } from './shared-time.ts';
import {
  forgetAt,
  forgetSetup,
  handleOfSetup,
  readSetupAtProcessor,
  takeOverSetup,
  writeSetup,
} from './write-setup.ts';

type SettleFault = FaultOf<'conflict' | 'notFound' | 'unprocessableEntity' | 'serviceUnavailable'>;
type Ending<T> = Steps<T, SettleFault | StoreConflict | StoreUnavailable>;

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
  if (work === undefined || isOld) return yield* await forgetSetup(ports, setup);
  const taken = yield* await takeOverSetup(ports, setup, work);
  yield* await finishSetup(ports, taken);
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
  yield* await writeSetup(ports, setup, { ...setup, outcome, nextCheckAt });
}

/** As long again as it took so far: the wait doubles each time, until it is to be forgotten. */
async function* postpone(
  ports: Ports,
  setup: MethodSetup,
): Steps<void, StoreConflict | StoreUnavailable> {
  const waitMs = Math.max(minuteMs, ports.clock.now() - setup.expiresAt);
  const nextCheckAt = Math.min(ports.clock.now() + waitMs, forgetAt(setup));
  yield* await writeSetup(ports, setup, { ...setup, nextCheckAt });
}

/** Its time is not over yet by the clock that counts. */
async function lookAgain(ports: Ports, setup: MethodSetup, waitMs: number) {
  const nextCheckAt = ports.clock.now() + Math.max(0, waitMs);
  const written = await writeSetup(ports, setup, { ...setup, nextCheckAt });
  return written.map(() => undefined);
}
