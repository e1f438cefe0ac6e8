import { commit } from '../call/commit.ts';
import { toLimit } from '../call/limit.ts';
import { type CommonProblem, performForHost, type Run } from '../call/perform.ts';
import { report } from '../call/report.ts';
import { badRequest, fieldFault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import { hourMs, minuteMs, secondMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { EventKey, PendingEvent } from '../ports/store.ts';
import { type CloudEvent, toCloudEvent } from '../schemas/cloud-event.ts';

/**
 * Handles an event. A rejection means that the event must be delivered again. The handler needs its
 * own deadline: the call waits for it, and after a minute another node may deliver the same event.
 */
export type EventHandler = (event: CloudEvent) => Promise<void>;

export interface DeliverEventsInput {
  /** The maximum number of events in this call, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
}

/** The result of one `deliver` call. */
export interface DeliveryReport {
  readonly delivered: number;
  /**
   * Events that the handler rejected. They are delivered again, at most ten times in all, and then
   * become dead letters.
   */
  readonly failed: number;
  /** More events may be due: call again. */
  readonly more: boolean;
}

const maxAttempts = 10;
const suspectAttempts = 3;
/** For this long after a node has leased an event, no other node delivers it. */
const deliveryLeaseMs = minuteMs;
const firstRetryMs = secondMs;
/**
 * The factor between two waits. Nine waits, each at most an hour, add up to three and a half hours.
 */
const waitGrowth = 4;

/**
 * Delivers events to the host's handler, each at least once, and those of one payment in order
 * (D26). It calls the handler for up to `limit` subjects at once. Run it on a timer, on any number
 * of nodes. A crash loses no event: leased events are delivered again.
 */
export function deliverEvents(
  ports: Ports,
  handler: EventHandler,
  input: DeliverEventsInput = {},
): ResultAsync<DeliveryReport, ProblemOf<'badRequest' | CommonProblem>> {
  return performForHost(
    ports,
    'deliverEvents',
    (run) => deliverDue(run, handler, toLimit(input.limit)),
    input,
  );
}

async function* deliverDue({ ports }: Run, handler: EventHandler, most: number) {
  // Without a handler, each call would use up one attempt of every event.
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
    // The next event of a subject is due once its first is removed, so this repeats until no event
    // is delivered.
    if (taken >= most || !ends.includes('delivered')) break;
  }
  // If the store fails, an immediate next call would only lease the same events.
  return { delivered, failed, more: taken >= most && delivered + failed > 0 };
}

/**
 * Delivers all events at once, except those with three unsuccessful attempts. One of these may
 * crash the process, so they are delivered one by one.
 */
async function deliverAll(
  ports: Ports,
  handler: EventHandler,
  due: readonly PendingEvent[],
): Promise<readonly DeliveryEnd[]> {
  const isSuspect = ({ attempts }: PendingEvent) => attempts >= suspectAttempts;
  const others = due.filter((pending) => !isSuspect(pending));
  const ends = await Promise.all(others.map((pending) => deliver(ports, handler, pending)));
  for (const pending of due.filter(isSuspect)) ends.push(await deliver(ports, handler, pending));
  return ends;
}

/**
 * `notRecorded`: another node leased it, or the store failed. If it is still ours, it is delivered
 * again.
 */
type DeliveryEnd = 'delivered' | 'failed' | 'notRecorded';

async function deliver(
  ports: Ports,
  handler: EventHandler,
  { event, attempts }: PendingEvent,
): Promise<DeliveryEnd> {
  const key = { subject: event.subject, version: event.version };
  // Ten deliveries began and none ended: the handler crashes or hangs its process.
  if (attempts >= maxAttempts) return postponeDelivery(ports, { ...key, attempts });

  const leasedUntil = ports.clock.now() + deliveryLeaseMs;
  const leased = await commit(ports, [
    { kind: 'leaseEvent', ...key, attempts, deliverAt: leasedUntil },
  ]);
  if (leased.isErr()) return 'notRecorded';
  // The removal fails if another node leased the event since: the next event must not overtake it
  // there.
  const taken = { ...key, attempts: attempts + 1 };
  try {
    await handler(toCloudEvent(ports.installation, event));
  } catch {
    report(ports, { kind: 'failure', name: 'deliverEvents', outcome: 'handlerFailed' });
    return postponeDelivery(ports, taken);
  }
  const removed = await commit(ports, [
    { kind: 'removeEvent', ...taken, deliverAt: ports.clock.now() },
  ]);
  // Delivered but not recorded: it is delivered again, as "at least once" allows.
  return removed.isOk() ? 'delivered' : 'notRecorded';
}

/** Schedules the next attempt, or makes the event a dead letter after the last one. */
async function postponeDelivery(
  ports: Ports,
  taken: EventKey & { readonly attempts: number },
): Promise<DeliveryEnd> {
  const { attempts } = taken;
  const isLast = attempts >= maxAttempts;
  const waitMs = Math.min(hourMs, firstRetryMs * waitGrowth ** (attempts - 1));
  const again = isLast ? {} : { deliverAt: ports.clock.now() + waitMs };
  const postponed = await commit(ports, [{ kind: 'postponeEvent', ...taken, ...again }]);
  if (postponed.isErr()) return 'notRecorded';
  // From now on the events of its payment wait for a person.
  if (isLast) report(ports, { kind: 'failure', name: 'deliverEvents', outcome: 'deadLetter' });
  return 'failed';
}
