import * as v from 'valibot';
import { commit } from '../call/commit.ts';
import { parseInput } from '../call/input.ts';
import { toLimit } from '../call/limit.ts';
import { hostTask } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { report } from '../call/report.ts';
import { badRequest, fault, fieldFault } from '../domain/problem.ts';
import { err } from '../domain/result.ts';
import { isStorable } from '../domain/text.ts';
import { hourMs, minuteMs, secondMs } from '../domain/time.ts';
import type { EventKey } from '../ports/change.ts';
import type { Ports } from '../ports/ports.ts';
import type { PendingEvent } from '../ports/store.ts';
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
  /** Events that the handler accepted. */
  readonly delivered: number;
  /**
   * Events that the handler rejected. They are delivered again, at most ten times in all, and then
   * become dead letters.
   */
  readonly failed: number;
  /** More events may be due: call again. */
  readonly more: boolean;
}

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

export const events = {
  /** Domain events for the host: run `deliver` on a timer (D26). */
  events: {
    /**
     * Passes due events to the handler, each at least once and those of one payment in order. Run it on a
     * timer, on any number of nodes. An event that the handler rejects comes again later.
     *
     * @example
     * const report = await chairside.events.deliver(async (event) => {
     *   if (event.type === 'contactlessPayment.captured') console.log(event.data.amount);
     * });
     */
    deliver: hostTask<[handler: EventHandler, input?: DeliverEventsInput], DeliveryReport>()({
      name: 'deliverEvents',
      problems: ['badRequest'],
      task: (run, handler, input = {}) => deliverDue(run, handler, toLimit(input.limit)),
    }),

    /**
     * Lists the events that the handler rejected ten times. Later events of the same subject wait.
     *
     * @example
     * const dead = await chairside.events.listDeadLetters({ limit: 20 });
     */
    listDeadLetters: hostTask<[input?: ListDeadLettersInput], readonly DeadLetter[]>()({
      problems: ['badRequest'],
      async *task({ ports }, { limit, after } = {}) {
        if (after !== undefined && !canBeKey(yield* parseInput(keySchema, { ...after }))) return [];
        const dead = yield* await ports.store.events.listDead(toLimit(limit), after);
        return dead.map(({ event, attempts }) => ({
          subject: event.subject,
          version: event.version,
          attempts,
          event: toCloudEvent(ports.installation, event),
        }));
      },
    }),

    /**
     * Gives a dead letter ten more attempts.
     *
     * @example
     * const revived = await chairside.events.redeliver({ subject: 'cpm_01h', version: 4 });
     */
    redeliver: hostTask<[event: EventKey], void>()({
      name: 'redeliverEvent',
      problems: ['badRequest', 'notFound'],
      task: (run, event) => settleDead(run, 'reviveEvent', event),
    }),

    /**
     * Drops a dead letter, so that the later events of its subject are delivered.
     *
     * @example
     * const dropped = await chairside.events.skip({ subject: 'cpm_01h', version: 4 });
     */
    skip: hostTask<[event: EventKey], void>()({
      name: 'skipEvent',
      problems: ['badRequest', 'notFound'],
      task: (run, event) => settleDead(run, 'removeEvent', event),
    }),
  },
};

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
 * Delivers each event at least once, and those of one payment in order (D26). It calls the handler for
 * up to `most` subjects at once. A crash loses no event: leased events are delivered again.
 */
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

/** Schedules the next attempt. After the last attempt, the event becomes a dead letter. */
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
