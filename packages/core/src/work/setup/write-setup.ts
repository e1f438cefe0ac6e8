import { commit } from '../../call/commit.ts';
import { isOpenedSetup, type MethodSetup } from '../../domain/method-setup.ts';
import { keyRetentionMs, type Work } from '../../domain/payment.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SetupHandle } from '../../ports/processor-calls.ts';
import { ask } from '../ask.ts';
import type { Written } from '../carry.ts';
import { orUnknown } from '../faults.ts';

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

/** Writes that this call holds the setup (D20). */
export function holdSetup(ports: Ports, setup: MethodSetup, work: Work): Written<OpeningSetup> {
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
