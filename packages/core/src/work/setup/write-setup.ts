import { commit } from '../../call/commit.ts';
import { isOpenedSetup, type MethodSetup } from '../../domain/method-setup.ts';
import { keyRetentionMs, type Work } from '../../domain/payment.ts';
import { err, ok } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SetupHandle } from '../../ports/processor-calls.ts';
import { ask } from '../ask.ts';
import { orUnknown, type Running } from '../faults.ts';
import { isRunningOut, renewed, takeOverFrom } from '../lease.ts';
import type { Written } from '../payment/write-payment.ts';

/** A setup that this call holds. */
export type OpeningSetup = MethodSetup & { readonly work: Work };

/** Identifies this setup at the processor. */
export function handleOfSetup(ports: Ports, setup: MethodSetup): SetupHandle {
  return {
    setupId: setup.id,
    installation: ports.installation,
    begunAt: setup.createdAt,
    ...(isOpenedSetup(setup) && { reference: setup.reference }),
  };
}

/** Reads a setup at the processor. */
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

/** Takes over an interrupted setup; 409 running if its holder is alive (D19). */
export async function takeOverSetup(
  ports: Ports,
  setup: MethodSetup,
  before: Work,
): Written<OpeningSetup, Running> {
  const taken = takeOverFrom(ports, before);
  if (taken.isErr()) return err(taken.error);
  const work = taken.value;
  return writeSetup(ports, setup, { ...setup, work, nextCheckAt: work.leaseUntil });
}

/** Keeps a setup held for one more processor call. */
export async function stillHeldSetup(ports: Ports, setup: OpeningSetup): Written<OpeningSetup> {
  if (!isRunningOut(ports, setup.work)) return ok(setup);
  const work = renewed(ports, setup.work);
  return writeSetup(ports, setup, { ...setup, work, nextCheckAt: work.leaseUntil });
}

/** Removes a setup and its keys. */
export async function forgetSetup(ports: Ports, { id, version }: MethodSetup): Written<void> {
  const written = await commit(ports, [
    { kind: 'deleteSetup', id, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: id },
  ]);
  return written.mapErr(orUnknown);
}

/**
 * When a setup and its keys are deleted: the retention begins when it can no longer be completed
 * (D21).
 */
export function forgetAt({ expiresAt }: MethodSetup): number {
  return expiresAt + keyRetentionMs;
}
