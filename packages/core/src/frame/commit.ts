import type { Observation, Ports } from '../ports/ports.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import type { Fault, Problem } from '../problems/problem.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { canBeId, sha256Hex } from '../values/text.ts';
import type { EpochMs } from '../values/time.ts';
import type { ByActor, EventActor } from './record.ts';

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

/** Whether a condition of the commit failed: any, or that of this change. */
export function isConflict(error: CommitError | Fault | Problem, change?: Change['kind']): boolean {
  if (!('kind' in error) || error.kind !== 'storeConflict') return false;
  return change === undefined || error.change === change;
}

type Reported = Observation extends infer O
  ? O extends Observation
    ? Omit<O, Times>
    : never
  : never;
type Times = 'startedAt' | 'endedAt';

/** Reports to the observer, if there is one. */
export function report(ports: Ports, what: Reported, startedAt?: EpochMs): void {
  if (ports.observe === undefined) return;
  const endedAt = ports.clock.now();
  tell(ports.observe, { ...what, startedAt: startedAt ?? endedAt, endedAt });
}

/**
 * Reports what a function of the host threw: its class to the observer, and itself to the host's
 * `onFailure` alone, because it may hold a secret (D68).
 */
export function reportThrown(
  ports: Ports,
  name: string,
  thrown: unknown,
  outcome = nameOf(thrown),
): void {
  report(ports, { kind: 'failure', name, outcome });
  tell(ports.onFailure, thrown, { name });
}

/** The class name of a thrown value. Its message may hold a secret, so it is not reported. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

/** Returns the value, or `undefined` after a failure, which is reported to the observer. */
export function valueOrReport<T>(
  ports: Ports,
  name: string,
  result: Result<T, { readonly kind: string }>,
): T | undefined {
  if (result.isOk()) return result.value;
  report(ports, { kind: 'failure', name, outcome: result.error.kind });
  return undefined;
}

/** Runs steps for one of many. A record of the host that throws must not stop the others (D68). */
export async function contained<T, E>(
  ports: Ports,
  name: string,
  steps: Steps<T, E>,
): Promise<Result<T, E | StoreUnavailable>> {
  try {
    return await resultOf(steps);
  } catch (thrown) {
    reportThrown(ports, name, thrown);
    return err({ kind: 'storeUnavailable', outcome: 'unknown' });
  }
}

/** Calls a function of the host whose failure must not stop a payment. */
export function tell<A extends readonly unknown[]>(
  listener: ((...what: A) => unknown) | undefined,
  ...what: A
): void {
  try {
    const told = listener?.(...what);
    // Catches the rejection of an `async` function: an unhandled one would end the process.
    if (told instanceof Promise) told.catch(() => {});
  } catch {
    // Errors of the host's function are ignored.
  }
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

/** The member of an event that says who did it. */
export function byMember({ actor, requestId }: ByActor): { readonly by?: EventActor } {
  if (actor === undefined) return {};
  return { by: { actor, ...(requestId !== undefined && { requestId }) } };
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

/** Replaces the person's name by one that names nobody. Their acts stay together. */
export async function eraseActor(ports: Ports, subject: string) {
  const found = await ports.store.actors.getBySubject(subject);
  if (found.isErr()) return err(found.error);
  ports.actors.delete(subject);
  if (found.value === undefined) return ok();
  const { number } = found.value;
  return commit(ports, [
    { kind: 'renameActor', number, subject: `erased ${ports.ids.next('cmt')}` },
  ]);
}

/**
 * The next version of a record that tells the host of its changes. The database that was lost may have told greater
 * versions than the backup has, and the host takes the greatest.
 */
export function versionAfter({ home }: Pick<Ports, 'home'>, version: number): number {
  return Math.max(version + 1, home?.leastVersion() ?? 0);
}
