import { commit } from '../../call/commit.ts';
import {
  isOpenedSetup,
  type MethodSetup,
  type OpenedSetup,
  outcomeOf,
} from '../../domain/method-setup.ts';
import { erasedSecret, keyRetentionMs } from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { resultOf, type Steps } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { CommitError, StoreUnavailable } from '../../ports/store.ts';
import { ask } from '../ask.ts';
import { takeOver, type Written } from '../carry.ts';
import { cannotRead, orUnknown } from '../faults.ts';
import { timeOf } from '../shared-time.ts';
import { readMethodUse } from './charged-method.ts';
import {
  finishSetup,
  forgetAt,
  forgetSetup,
  handleOfSetup,
  holdSetup,
  laterCheck,
  readSetupAtProcessor,
  recordOutcome,
  type SetupFault,
  writeSetup,
} from './setup.ts';

/**
 * Does the due work of a setup: continues an interrupted opening, ends an overdue one (D41), and
 * forgets one with its keys after their retention (D21). An old setup that could never be settled
 * is forgotten too: it moves no money and is no longer accepted.
 */
export async function* settleSetup(
  ports: Ports,
  setup: MethodSetup,
): Steps<void, SetupFault | CommitError> {
  const { work, outcome } = setup;
  const isOld = ports.clock.now() >= forgetAt(setup);
  if (isOpenedSetup(setup) && outcome === undefined) {
    const ended = await resultOf(endSetup(ports, setup));
    if (ended.isOk()) return;
    if (!isOld) {
      const nextCheckAt = laterCheck(setup, setup.expiresAt, ports.clock.now());
      yield* await writeSetup(ports, setup, { ...setup, nextCheckAt });
      return yield* ended;
    }
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
 * withdraws, or it is used up (D49). Returns the time of the next check, if there is one.
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
    const nextCheckAt = ports.clock.now() + setup.expiresAt - now;
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
