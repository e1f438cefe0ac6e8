import { commit } from '../call/commit.ts';
import { toLimit } from '../call/limit.ts';
import { type CommonProblem, hostCaller, perform, type Run } from '../call/perform.ts';
import { report } from '../call/report.ts';
import { badRequest, fieldFault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import { hourMs, minuteMs, secondMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { EventKey, PendingEvent } from '../ports/store.ts';
import { type CloudEvent, toCloudEvent } from '../schemas/cloud-event.ts';

/**
 * Takes an event in; a rejection means that it did not, and that it is to come again. Its deadline is
 * its own: the call waits for it, and after a minute another node may be given the same event.
 */
export type EventHandler = (event: CloudEvent) => Promise<void>;

export interface DeliverEventsInput {
  /** At most this many events in this call, up to 1,000; 100 if not given. */
  readonly limit?: number | undefined;
}

/** What one call of `deliver` did. */
export interface DeliveryReport {
  readonly delivered: number;
  /** Not taken by the handler; they come again, and after ten times are dead letters. */
  readonly failed: number;
  /** More may be due: call again. */
  readonly more: boolean;
}

const maxAttempts = 10;
const suspectAttempts = 3;
/** For this long after a node has taken an event up, no other node delivers it. */
const deliveryLeaseMs = minuteMs;
const firstRetryMs = secondMs;
/** Each wait is so many times the last: nine of them, up to an hour, are three hours and a half. */
const waitGrowth = 4;

/**
 * Hands events to the host's handler: each at least once, and those of one payment in order (D26).
 * The handler is called for many subjects at once, up to `limit`.
 * To be run on a timer, on any number of nodes. Nothing is lost if this dies at any point: what was
 * taken up and not finished comes again.
 */
export function deliverEvents(
  ports: Ports,
  handler: EventHandler,
  input: DeliverEventsInput = {},
): ResultAsync<DeliveryReport, ProblemOf<'badRequest' | CommonProblem>> {
  return perform(
    ports,
    'deliverEvents',
    hostCaller,
    (run) => deliverDue(run, handler, toLimit(input.limit)),
    input,
  );
}

async function* deliverDue({ ports }: Run, handler: EventHandler, most: number) {
  // Each call would use up an attempt of every event, until all were dead letters.
  if (typeof handler !== 'function') {
    return yield* err(badRequest([fieldFault('', 'The handler must be a function.')]));
  }
  let delivered = 0;
  let failed = 0;
  let taken = 0;
  for (;;) {
    const due = yield* await ports.store.events.listDue(ports.clock.now(), most - taken);
    const ends = await deliverAll(ports, handler, due);
    delivered += ends.filter((end) => end === 'delivered').length;
    failed += ends.filter((end) => end === 'failed').length;
    taken += due.length;
    // A subject's next event is due once its first is gone: go on until nothing moves.
    if (taken >= most || !ends.includes('delivered')) break;
  }
  // Where nothing can be recorded, calling again at once would only ask for the same events.
  return { delivered, failed, more: taken >= most && delivered + failed > 0 };
}

/**
 * All at once, except events whose delivery was begun three times and did not succeed: one of them
 * may be killing its taker, so these go one by one.
 */
async function deliverAll(
  ports: Ports,
  handler: EventHandler,
  due: readonly PendingEvent[],
): Promise<readonly End[]> {
  const isSuspect = ({ attempts }: PendingEvent) => attempts >= suspectAttempts;
  const others = due.filter((pending) => !isSuspect(pending));
  const ends = await Promise.all(others.map((pending) => deliver(ports, handler, pending)));
  for (const pending of due.filter(isSuspect)) ends.push(await deliver(ports, handler, pending));
  return ends;
}

/** `notRecorded`: another took it, or the store failed; if it is still ours, it comes again. */
type End = 'delivered' | 'failed' | 'notRecorded';

async function deliver(
  ports: Ports,
  handler: EventHandler,
  { event, attempts }: PendingEvent,
): Promise<End> {
  const key = { subject: event.subject, version: event.version };
  // Ten deliveries were begun and none ended: the handler kills or hangs its process.
  if (attempts >= maxAttempts) return postpone(ports, { ...key, attempts });

  const leasedUntil = ports.clock.now() + deliveryLeaseMs;
  const leased = await commit(ports, [
    { kind: 'leaseEvent', ...key, attempts, deliverAt: leasedUntil },
  ]);
  if (leased.isErr()) return 'notRecorded';
  // What follows is not written if another took it up since: the next one must not overtake it there.
  const taken = { ...key, attempts: attempts + 1 };
  try {
    await handler(toCloudEvent(ports.installation, event));
  } catch {
    report(ports, { kind: 'failure', name: 'deliverEvents', outcome: 'handlerFailed' });
    return postpone(ports, taken);
  }
  const removed = await commit(ports, [
    { kind: 'removeEvent', ...taken, deliverAt: ports.clock.now() },
  ]);
  // Delivered, and not noted so: it comes again, which "at least once" allows.
  return removed.isOk() ? 'delivered' : 'notRecorded';
}

/** It comes again after a while, or is a dead letter after its last attempt. */
async function postpone(
  ports: Ports,
  taken: EventKey & { readonly attempts: number },
): Promise<End> {
  const { attempts } = taken;
  const isLast = attempts >= maxAttempts;
  const waitMs = Math.min(hourMs, firstRetryMs * waitGrowth ** (attempts - 1));
  const again = isLast ? {} : { deliverAt: ports.clock.now() + waitMs };
  const postponed = await commit(ports, [{ kind: 'postponeEvent', ...taken, ...again }]);
  if (postponed.isErr()) return 'notRecorded';
  // From now on its payment's events wait for a person.
  if (isLast) report(ports, { kind: 'failure', name: 'deliverEvents', outcome: 'deadLetter' });
  return 'failed';
}
