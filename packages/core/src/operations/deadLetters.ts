import * as v from 'valibot';
import { commit } from '../call/commit.ts';
import { parseInput } from '../call/input.ts';
import { toLimit } from '../call/limit.ts';
import { type CommonProblem, performForHost, type Run } from '../call/perform.ts';
import { fault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import { isStorable } from '../domain/text.ts';
import type { Ports } from '../ports/ports.ts';
import type { EventKey } from '../ports/store.ts';
import { type CloudEvent, toCloudEvent } from '../schemas/cloud-event.ts';

/**
 * An event that the handler failed to handle ten times. Later events of its subject wait behind it.
 */
export interface DeadLetter extends EventKey {
  readonly attempts: number;
  readonly event: CloudEvent;
}

export interface ListDeadLettersInput {
  /** The maximum number of entries, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
  /** The key of the last entry of the previous page. */
  readonly after?: EventKey | undefined;
}

/** Lists dead letters in order of subject and version (D26). */
export function listDeadLetters(
  ports: Ports,
  input: ListDeadLettersInput = {},
): ResultAsync<readonly DeadLetter[], ProblemOf<'badRequest' | CommonProblem>> {
  return performForHost(ports, 'listDeadLetters', (run) => listDead(run, input), input);
}

async function* listDead({ ports }: Run, { limit, after }: ListDeadLettersInput) {
  if (after !== undefined && !canBeKey(yield* parseInput(keySchema, { ...after }))) return [];
  const dead = yield* await ports.store.events.listDead(toLimit(limit), after);
  return dead.map(({ event, attempts }) => ({
    subject: event.subject,
    version: event.version,
    attempts,
    event: toCloudEvent(ports.installation, event),
  }));
}

/** Gives a dead letter ten more attempts (D26). */
export function redeliverEvent(
  ports: Ports,
  event: EventKey,
): ResultAsync<void, ProblemOf<'badRequest' | 'notFound' | CommonProblem>> {
  return performForHost(
    ports,
    'redeliverEvent',
    (run) => settleDead(run, 'reviveEvent', event),
    event,
  );
}

/** Drops an event, so that the later ones of its subject are delivered (D26). */
export function skipEvent(
  ports: Ports,
  event: EventKey,
): ResultAsync<void, ProblemOf<'badRequest' | 'notFound' | CommonProblem>> {
  return performForHost(ports, 'skipEvent', (run) => settleDead(run, 'removeEvent', event), event);
}

const keySchema = v.object({ subject: v.string(), version: v.number() });

/** Subjects are storable text, so other keys have no event (D12). */
function canBeKey({ subject, version }: EventKey): boolean {
  return isStorable(subject) && Number.isSafeInteger(version);
}

async function* settleDead({ ports }: Run, kind: 'reviveEvent' | 'removeEvent', event: EventKey) {
  const { subject, version } = yield* parseInput(keySchema, { ...event });
  const missing = fault('notFound', 'No such event waits for delivery.');
  if (!canBeKey({ subject, version })) return yield* err(missing);
  const settled = await commit(ports, [{ kind, subject, version, deliverAt: ports.clock.now() }]);
  if (settled.isOk()) return;
  const { error } = settled;
  return yield* err(error.kind === 'storeConflict' ? missing : error);
}
