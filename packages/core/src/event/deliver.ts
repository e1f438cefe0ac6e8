import * as v from 'valibot';
import { commit, report, reportThrown } from '../frame/commit.ts';
import { hostTask, parseInput, toLimit } from '../frame/operation.ts';
import { isObject, type Run } from '../frame/perform.ts';
import type { Ports } from '../ports/ports.ts';
import type { EventKey, PendingEvent, StoreUnavailable } from '../ports/store.ts';
import { badRequest, fault, fieldFault } from '../problems/problem.ts';
import { err, type Steps } from '../values/result.ts';
import { isStorable } from '../values/text.ts';
import { hourMs, minuteMs, secondMs } from '../values/time.ts';
import { replay, toTell } from './replay.ts';
import type { CloudEvent } from './wire.ts';

/**
 * Handles an event. A rejection, or a Result that failed, means that the event must be delivered again. The
 * handler needs its own deadline: the call waits for it, and after a minute another node may deliver the same event.
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
  /** Domain events for the host: run `deliver` on a timer. */
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
     * Tells a host whose own database was restored the present state of everything that changed since a
     * time, as events with `retold: true` and ids of their own. It only reads.
     *
     * @example
     * let after: string | undefined;
     * do {
     *   const page = await chairside.events.replay({ since: '2026-11-02T08:00:00.000Z', after });
     *   if (page.isErr()) break; // try again from `after`
     *   for (const event of page.value.events) console.log(event.type);
     *   after = page.value.next;
     * } while (after !== undefined);
     */
    replay,

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
        const letters: DeadLetter[] = [];
        for (const { event, attempts } of dead) {
          const { subject, version } = event;
          const told = yield* await toTell(ports, event);
          letters.push({ subject, version, attempts, event: told });
        }
        return letters;
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
      task: (run, event) => changeDead(run, 'reviveEvent', event),
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
      task: (run, event) => changeDead(run, 'removeEvent', event),
    }),
  },
};

const maxAttempts = 10;
const suspectAttempts = 3;
/** From this attempt on, no other suspect runs beside an event, so a crash shows which one it was. */
const lastAttempts = 7;
const maxSuspects = 8;
/** No further round of a call begins after this time: `upkeep` waits for the call before it reconciles again. */
const roundsForMs = 5 * secondMs;
/** For this long after a node has leased an event, no other node delivers it. */
const deliveryLeaseMs = minuteMs;
const firstRetryMs = secondMs;
/**
 * The factor between two waits. Nine waits, each at most an hour, add up to three and a half hours.
 */
const waitGrowth = 4;

/**
 * Delivers each event at least once, and those of one payment in order. It calls the handler for
 * up to `most` subjects at once. A crash loses no event: leased events are delivered again.
 */
async function* deliverDue({ ports }: Run, handler: EventHandler, most: number) {
  // Without a handler, each call would use up one attempt of every event.
  if (typeof handler !== 'function') {
    return yield* err(badRequest([fieldFault('', 'The handler must be a function.')]));
  }
  let delivered = 0;
  let failed = 0;
  let dropped = 0;
  let taken = 0;
  let isMore = true;
  const endsAt = ports.clock.now() + roundsForMs;
  while (isMore && taken < most && ports.clock.now() < endsAt) {
    const due = yield* listDue(ports, most - taken);
    const together = oneRound(due, most - taken);
    const ends = await Promise.all(together.map((pending) => deliver(ports, handler, pending)));
    const count = (wanted: DeliveryEnd) => ends.filter((end) => end === wanted).length;
    delivered += count('delivered');
    failed += count('failed');
    dropped += count('dropped');
    taken += together.length;
    // The next event of a subject is due once its first is removed, and some may have been left for
    // another round. If the store fails, an immediate next round would only lease the same events.
    const isLeft = together.length < due.length && ends.some((end) => end !== 'notRecorded');
    isMore =
      ends.some((end) => end === 'delivered' || end === 'dropped') || isLeft || taken >= most;
  }
  return { delivered, failed, more: isMore && delivered + failed + dropped > 0 };
}

/** A later time was written by a wrong clock, because no event is leased or postponed for longer. */
const longestRetryMs = hourMs + 5 * minuteMs;
/** At most this many events are read beyond the limit. */
const mostListed = 1000;

/**
 * The events that are due, more than the limit if suspects would hide the others. An event that no node has taken is
 * due at any time: the clock of its writer may have been days ahead.
 */
async function* listDue(
  { store, clock }: Ports,
  limit: number,
): Steps<readonly PendingEvent[], StoreUnavailable> {
  const now = clock.now();
  const due = yield* await store.events.listDue(now, limit);
  if (due.length >= limit) {
    return due.some(isSuspect) ? yield* await store.events.listDue(now, mostListed) : due;
  }
  const all = yield* await store.events.listDue(Number.MAX_SAFE_INTEGER, mostListed);
  const listed = new Set(due.map(nameOf));
  const later = all.filter((pending) => !listed.has(nameOf(pending)));
  if (later.length === 0) return due;
  const waiting = yield* await store.events.listDue(now + longestRetryMs, mostListed);
  const rightly = new Set(waiting.filter(({ attempts }) => attempts > 0).map(nameOf));
  return [...due, ...later.filter((pending) => !rightly.has(nameOf(pending)))];
}

function nameOf({ event: { subject, version } }: PendingEvent): string {
  return `${version} ${subject}`;
}

/**
 * The events that are delivered at once. One that was tried three times without success may crash the
 * process, and with it the deliveries beside it, so only a few of these run together, and in its last
 * attempts each runs as the only one of them. A round of refused events keeps the others waiting for no
 * longer than one delivery.
 */
function oneRound(due: readonly PendingEvent[], limit: number): readonly PendingEvent[] {
  const fresh = due.filter((pending) => !isSuspect(pending));
  const suspects = due.filter(isSuspect);
  const [first] = suspects;
  const isAlone = first !== undefined && first.attempts >= lastAttempts;
  const few = suspects.filter(({ attempts }) => attempts < lastAttempts).slice(0, maxSuspects);
  return [...(isAlone ? [first] : few), ...fresh].slice(0, limit);
}

function isSuspect({ attempts }: PendingEvent): boolean {
  return attempts >= suspectAttempts;
}

/**
 * `notRecorded`: another node leased it, or the store failed. If it is still ours, it is delivered
 * again.
 */
type DeliveryEnd = 'delivered' | 'failed' | 'dropped' | 'notRecorded';

async function deliver(
  ports: Ports,
  handler: EventHandler,
  { event, attempts }: PendingEvent,
): Promise<DeliveryEnd> {
  const key = { subject: event.subject, version: event.version };
  // The original of a copied database tells it (D210).
  if (event.occurredAt < (ports.home?.since() ?? 0)) {
    const removed = await commit(ports, [
      { kind: 'removeEvent', ...key, attempts, deliverAt: ports.clock.now() },
    ]);
    return removed.isOk() ? 'dropped' : 'notRecorded';
  }
  // Ten deliveries began and none ended: the handler crashes or hangs its process.
  if (attempts >= maxAttempts) return postponeDelivery(ports, { ...key, attempts });

  const leasedUntil = ports.clock.now() + deliveryLeaseMs;
  const told = await toTell(ports, event);
  if (told.isErr()) return 'notRecorded';
  const leased = await commit(ports, [
    { kind: 'leaseEvent', ...key, attempts, deliverAt: leasedUntil },
  ]);
  if (leased.isErr()) return 'notRecorded';
  // The removal fails if another node leased the event since: the next event must not overtake it
  // there.
  const taken = { ...key, attempts: attempts + 1 };
  try {
    const handled: unknown = await handler(told.value);
    // A host that answers in Results may return one, of any copy of the library.
    if (hasFailed(handled)) throw handled['error'];
  } catch (thrown) {
    reportThrown(ports, 'deliverEvents', thrown, 'handlerFailed');
    return postponeDelivery(ports, taken);
  }
  const deliveredAt = ports.clock.now();
  const removed = await commit(ports, [{ kind: 'removeEvent', ...taken, deliverAt: deliveredAt }]);
  // Delivered but not recorded: it is delivered again, as "at least once" allows.
  return removed.isOk() ? 'delivered' : 'notRecorded';
}

function hasFailed(handled: unknown): handled is Readonly<Record<string, unknown>> {
  return isObject(handled) && typeof handled['isErr'] === 'function' && handled['isErr']() === true;
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

/** Subjects are storable text, so other keys have no event. */
function canBeKey({ subject, version }: EventKey): boolean {
  return isStorable(subject) && Number.isSafeInteger(version);
}

async function* changeDead({ ports }: Run, kind: 'reviveEvent' | 'removeEvent', event: EventKey) {
  const { subject, version } = yield* parseInput(keySchema, { ...event });
  const missing = fault('notFound', 'No such event waits for delivery.');
  if (!canBeKey({ subject, version })) return yield* err(missing);
  const changed = await commit(ports, [{ kind, subject, version, deliverAt: ports.clock.now() }]);
  if (changed.isOk()) return;
  const { error } = changed;
  return yield* err(error.kind === 'storeConflict' ? missing : error);
}
