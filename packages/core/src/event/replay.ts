import * as v from 'valibot';
import { subjectOf } from '../frame/commit.ts';
import { hostTask, parseInput, toLimit } from '../frame/operation.ts';
import type { Run } from '../frame/perform.ts';
import { isOpened, type Payment } from '../payment/payment.ts';
import { reviewEvent } from '../payment/reviews.ts';
import { aboutOf, presentEvent } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { badRequest, type Fault, fieldFault } from '../problems/problem.ts';
import { disputeEvent, disputeEventTypes, refundEvent } from '../refund/carry-refund.ts';
import type { Refund } from '../refund/refund.ts';
import { readReturns } from '../refund/returns.ts';
import { addedUp, maxListedShares } from '../share/share.ts';
import { sharedEvent } from '../share/share-payment.ts';
import { sharesOf } from '../share/shares-of.ts';
import { tenderEvent } from '../tender/record-tender.ts';
import { terminalEvent } from '../terminal/operations.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { type EpochMs, parseTimestamp } from '../values/time.ts';
import type { DomainEvent } from './event.ts';
import { actorIn, type CloudEvent, toCloudEvent } from './wire.ts';

/** From when on events are told again, and which page of them. */
export interface ReplayEventsInput {
  /**
   * The time of your restored backup, such as `2026-11-02T09:00:00.000Z`, less the time by which your handler
   * may have been behind: an hour at least.
   */
  readonly since: string;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** The maximum number of records that this page reads, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
}

/** A part of a replay. */
export interface ReplayedEvents {
  /** In order for each subject. A page may be empty although there are more. */
  readonly events: readonly CloudEvent[];
  /** Give it as `after` of the next call. Absent at the end. */
  readonly next?: string;
}

export const replay = hostTask<[input: ReplayEventsInput], ReplayedEvents>()({
  name: 'replayEvents',
  problems: ['badRequest'],
  task: onePage,
});

const inputSchema = v.object({ since: v.string(), after: v.optional(v.string()) });

async function* onePage({ ports }: Run, input: ReplayEventsInput) {
  const given = yield* parseInput(inputSchema, { ...input });
  const since = parseTimestamp(given.since);
  if (since === undefined) return yield* err(unfit('/since', 'since must be a UTC time.'));
  const place = yield* placeOf(given.after);
  const limit = toLimit(input.limit);
  const { ids, retold } = yield* readers[place.list](ports, since, limit, place.after);
  const events: CloudEvent[] = [];
  for (const { id, version, event } of retold) {
    const told = yield* await toTell(ports, event);
    events.push({ ...told, id: `retold/${id}/${version}`, retold: true });
  }
  const last = ids[limit - 1];
  if (last !== undefined) return { events, next: `${place.list}/${last}` };
  const following = lists[lists.indexOf(place.list) + 1];
  return following === undefined ? { events } : { events, next: `${following}/` };
}

const lists = ['payments', 'tenders', 'terminals', 'reviews'] as const;

interface Place {
  readonly list: (typeof lists)[number];
  /** The id of the record that was read last. */
  readonly after?: string;
}

/** A record's present state, as an event of its subject. */
interface Retold {
  readonly id: string;
  readonly version: number;
  readonly event: DomainEvent;
}

interface Listed {
  /** Of all records that were read, in order. */
  readonly ids: readonly string[];
  readonly retold: readonly Retold[];
}

type Reader = (
  ports: Ports,
  since: EpochMs,
  limit: number,
  after?: string,
) => Steps<Listed, StoreUnavailable>;

const idOf = ({ id }: { readonly id: string }) => id;

const readers: Readonly<Record<Place['list'], Reader>> = {
  async *payments(ports, since, limit, after) {
    const listed = yield* await ports.store.payments.listAll(limit, after);
    const changed = listed.filter((one) => isOpened(one) && changedAt(one) >= since);
    // At once, so that the store may read them together.
    const told = await Promise.all(changed.map((one) => resultOf(ofPayment(ports, one))));
    const retold: Retold[] = [];
    for (const one of told) retold.push(...(yield* one));
    return { ids: listed.map(idOf), retold };
  },

  async *tenders(ports, since, limit, after) {
    const listed = yield* await ports.store.tenders.listAll(limit, after);
    const retold: Retold[] = [];
    for (const tender of listed) {
      const { id, version, tenderId = id, paymentId } = tender;
      // Cash that was given back for a card payment is told with the payment.
      if (tender.at < since || paymentId !== undefined) continue;
      // Stryker disable next-line ConditionalExpression: it only saves a read.
      const about = tenderId === id ? tender : yield* await ports.store.tenders.get(tenderId);
      const { event } = tenderEvent(tender, tenderId, about?.version ?? version);
      retold.push({ id, version, event });
    }
    return { ids: listed.map(idOf), retold };
  },

  async *terminals(ports, since, limit, after) {
    const listed = yield* await ports.store.terminals.listAll(limit, after);
    const changed = listed.filter(({ createdAt }) => createdAt >= since);
    const retold = changed.map((terminal) => {
      const { event } = terminalEvent(terminal, 'registered', terminal.createdAt, {});
      return { id: terminal.id, version: event.version, event };
    });
    return { ids: listed.map(idOf), retold };
  },

  async *reviews(ports, since, limit, after) {
    const listed = yield* await ports.store.reviews.list('open', limit, after);
    const changed = listed.filter(({ openedAt }) => openedAt >= since);
    const retold = changed.map((review) => {
      const event = reviewEvent(review);
      return { id: review.id, version: event.version, event };
    });
    return { ids: listed.map(idOf), retold };
  },
};

/** Refunds and disputes have their line in the timeline, and leave the time of the state as it is. */
function changedAt({ updatedAt, timeline }: Payment): EpochMs {
  return Math.max(updatedAt, timeline.at(-1)?.at ?? updatedAt);
}

/** The payment, then what was given back of it or contested: all at its present version. */
async function* ofPayment(
  ports: Ports,
  payment: Payment,
): Steps<readonly Retold[], StoreUnavailable> {
  const { id, version, timeline } = payment;
  const own: Retold = { id, version, event: presentEvent(payment) };
  // Stryker disable next-line ConditionalExpression: it only saves reads.
  if (payment.capturedMinor === undefined) return [own];
  const shared = yield* sharingOf(ports, payment);
  const { refunds, disputes, cash } = yield* readReturns(ports, payment);
  const about = aboutOf(payment);
  const frameOf = (occurredAt: EpochMs) => ({ subject: id, version, occurredAt });
  return [
    own,
    ...shared,
    ...refunds.filter(wasTold).map((refund) => ({
      ...refund,
      event: refundEvent(refund)(frameOf(refund.updatedAt), about, timeline),
    })),
    ...disputes.map((dispute) => ({
      ...dispute,
      event: disputeEvent(dispute, disputeEventTypes[dispute.state])(
        frameOf(dispute.updatedAt),
        about,
        timeline,
      ),
    })),
    ...cash.map((tender) => ({ ...tender, ...tenderEvent(tender, id, version) })),
  ];
}

/**
 * All sharings of a payment as one, so that the rows of the visits that had a part in between become zero too. Its
 * moves are what each visit and barber has gained since the capture.
 */
async function* sharingOf(
  { store }: Ports,
  payment: Payment,
): Steps<readonly Retold[], StoreUnavailable> {
  const { id: subject, version, state, timeline } = payment;
  const listed = yield* await store.shares.listByPayment(subject, maxListedShares);
  const entries = listed.filter(({ kind }) => kind === 'payment');
  const last = entries.findLast(({ shares }) => shares !== undefined);
  if (last === undefined) return [];
  // A capture that was taken back is nobody's (D201).
  const shares = state === 'captured' ? sharesOf(payment) : [];
  const make = sharedEvent(payment, shares, addedUp(entries), last);
  const frame = { subject, version, occurredAt: last.at };
  return [{ id: last.actId, version, event: make(frame, aboutOf(payment), timeline) }];
}

/** A refund that the processor has not accepted yet has no event. */
function wasTold({ state, acceptedAt }: Refund): boolean {
  return state !== 'pending' || acceptedAt !== undefined;
}

function placeOf(after: string | undefined): Result<Place, Fault<'badRequest'>> {
  if (after === undefined) return ok({ list: 'payments' });
  const list = lists.find((one) => after.startsWith(`${one}/`));
  return list === undefined || !canBeId(after)
    ? err(unfit('/after', 'after must be the next of the page before.'))
    : ok({ list, after: after.slice(list.length + 1) });
}

function unfit(pointer: string, detail: string): Fault<'badRequest'> {
  return badRequest([fieldFault(pointer, detail)]);
}

/** The event as the host gets it: with the name of the one who did it, as long as there is one. */
export async function toTell(
  ports: Ports,
  event: DomainEvent,
): Promise<Result<CloudEvent, StoreUnavailable>> {
  const subject = await subjectOf(ports, actorIn(event)?.actor);
  return subject.map((name) => toCloudEvent(ports.installation, event, name));
}
