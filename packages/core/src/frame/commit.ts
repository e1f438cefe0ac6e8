import type { Ports } from '../ports/ports.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import { err, ok, type Result } from '../values/result.ts';
import { canBeId, sha256Hex } from '../values/text.ts';
import { report } from './call.ts';
import type { ByActor } from './record.ts';

/**
 * Writes all changes or none. If the store cannot tell whether it did, this reads the commit's id
 * back (D22). The outcome stays `unknown` only if that read fails or does not find the id.
 */
export async function commit(
  ports: Ports,
  changes: readonly Change[],
): Promise<Result<void, CommitError>> {
  const at = ports.clock.now();
  const id = ports.ids.next('cmt');
  let result = await ports.store.commit({ id, at, changes });
  if (result.isErr() && 'outcome' in result.error && result.error.outcome === 'unknown') {
    const written = await ports.store.wasCommitted(id);
    if (written.isOk() && written.value) result = ok();
  }
  if (ports.observe !== undefined) {
    const outcome = result.isOk() ? 'ok' : result.error.kind;
    report(ports, { kind: 'commit', changes: changes.map(({ kind }) => kind), outcome }, at);
  }
  return result;
}

/** A process that knows more people than this forgets all of them, and looks them up again. */
const maxKnown = 10_000;
/** Two people at two nodes may draw the same number, or one person may act at both for the first time. */
const maxTries = 8;

/**
 * The note of who acts, for a record. A person who acts for the first time gets a number, in a commit
 * of its own. Nobody: upkeep acts, or the host itself.
 */
export async function actorOf(ports: Ports): Promise<Result<ByActor, StoreUnavailable>> {
  const { acting } = ports;
  if (acting === undefined) return ok({});
  const number = await numberOf(ports, acting.subject);
  const { requestId } = acting;
  return number.map((actor) => ({
    actor,
    ...(requestId !== undefined && canBeId(requestId) && { requestId }),
  }));
}

async function numberOf(ports: Ports, subject: string): Promise<Result<number, StoreUnavailable>> {
  const known = ports.actors.get(subject);
  if (known !== undefined) return ok(known);
  const remember = (number: number) => {
    if (ports.actors.size >= maxKnown) ports.actors.clear();
    ports.actors.set(subject, number);
    return ok(number);
  };
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const found = await ports.store.actors.getBySubject(subject);
    if (found.isErr()) return err(found.error);
    if (found.value !== undefined) return remember(found.value.number);
    const number = Number.parseInt(sha256Hex(ports.ids.next('cmt')).slice(0, 8), 16);
    const written = await commit(ports, [{ kind: 'insertActor', actor: { number, subject } }]);
    if (written.isOk()) return remember(number);
    // Nothing but the number can have been written, and the next attempt finds it.
    if (written.error.kind !== 'storeConflict')
      return err({ ...written.error, outcome: 'notApplied' });
  }
  return err({ kind: 'storeUnavailable', outcome: 'notApplied' });
}

/** Who an actor is, for those who may read it. Absent: the row is gone, or cannot be read now. */
export async function subjectOf(
  ports: Ports,
  actor: number | undefined,
): Promise<Result<string | undefined, StoreUnavailable>> {
  if (actor === undefined) return ok(undefined);
  const found = await ports.store.actors.get(actor);
  return found.map((one) => one?.subject);
}

/** Replaces the person's name by one that names nobody. Their acts stay together (D211). */
export async function eraseActor(ports: Ports, subject: string) {
  const found = await ports.store.actors.getBySubject(subject);
  if (found.isErr()) return err(found.error);
  ports.actors.delete(subject);
  if (found.value === undefined) return ok(false);
  const { number } = found.value;
  const renamed = await commit(ports, [
    { kind: 'renameActor', number, subject: `erased ${ports.ids.next('cmt')}` },
  ]);
  return renamed.map(() => true);
}
