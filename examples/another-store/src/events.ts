import type { DomainEvent } from '@chairside/core';
import type { ChangeOf, EventKey, PendingEvent } from '@chairside/core/ports';
import { everything, type Records } from './records.ts';

/** Without `deliverAt`, it waits for an earlier event of its subject or is a dead letter. */
export interface StoredEvent extends PendingEvent {
  readonly deliverAt?: number;
  readonly isDead: boolean;
}

/** In order of subject and version. */
export const eventId = ({ subject, version }: EventKey) =>
  `${subject}\u0000${`${version}`.padStart(16, '0')}`;

/** In order of time, subject and version. */

function put(to: Records, stored: StoredEvent): true {
  const { event, isDead, deliverAt } = stored;
  return to.put('events', eventId(event), stored, {
    parent: event.subject,
    label: isDead ? 'dead' : 'alive',
    at: event.version,
    due: deliverAt,
  });
}

const get = (to: Records, key: EventKey) => to.get<StoredEvent>('events', eventId(key));

export function isFirst(to: Records, { subject, version }: EventKey): boolean {
  return firstOf(to, subject)?.event.version === version;
}

function firstOf(to: Records, subject: string): StoredEvent | undefined {
  return to.newest<StoredEvent>('events', subject, everything)[0];
}

export function append(to: Records, event: DomainEvent): boolean {
  if (get(to, event) !== undefined) return false;
  const first = firstOf(to, event.subject);
  const isNext = first === undefined || event.version < first.event.version;
  return put(to, {
    event,
    attempts: 0,
    isDead: false,
    ...(isNext && { deliverAt: event.occurredAt }),
  });
}

export function lease(to: Records, change: ChangeOf<'leaseEvent'>): boolean {
  const stored = get(to, change);
  if (stored === undefined || stored.isDead || stored.attempts !== change.attempts) return false;
  if (!isFirst(to, change)) return false;
  return put(to, { ...stored, attempts: change.attempts + 1, deliverAt: change.deliverAt });
}

export function postpone(to: Records, change: ChangeOf<'postponeEvent'>): boolean {
  const stored = get(to, change);
  if (stored === undefined || isTakenSince(stored, change)) return false;
  const { event, attempts } = stored;
  const { deliverAt } = change;
  const isDead = deliverAt === undefined;
  return put(to, { event, attempts, isDead, ...(!isDead && { deliverAt }) });
}

export function revive(to: Records, change: ChangeOf<'reviveEvent'>): boolean {
  const stored = get(to, change);
  if (!stored?.isDead) return false;
  const { deliverAt } = change;
  return put(to, { event: stored.event, attempts: 0, isDead: false, deliverAt });
}

export function remove(to: Records, change: ChangeOf<'removeEvent'>): boolean {
  const stored = get(to, change);
  if (stored === undefined || isTakenSince(stored, change) || !isFirst(to, change)) return false;
  to.remove('events', eventId(change));
  return wakeNext(to, change.subject, () => change.deliverAt);
}

export function forget(to: Records, change: ChangeOf<'forget'>): true {
  const due = to.due<StoredEvent>('events', change.eventsBefore - 1, everything);
  const untaken = due.filter(({ attempts }) => attempts === 0).slice(0, change.limit);
  for (const stored of untaken) {
    const { event, deliverAt = change.now } = stored;
    // Still due at the time of its writer, whose clock may be far behind: it counts from now on.
    if (deliverAt === event.occurredAt) {
      put(to, { ...stored, deliverAt: change.now });
      continue;
    }
    to.remove('events', eventId(event));
    wakeNext(to, event.subject, ({ occurredAt }) => Math.max(occurredAt, deliverAt));
  }
  return true;
}

/** Another node took the event since. */
function isTakenSince(stored: StoredEvent, { attempts }: { readonly attempts?: number }): boolean {
  return attempts !== undefined && attempts !== stored.attempts;
}

function wakeNext(to: Records, subject: string, deliverAt: (event: DomainEvent) => number): true {
  const next = firstOf(to, subject);
  if (next === undefined || next.isDead || next.deliverAt !== undefined) return true;
  return put(to, { ...next, deliverAt: deliverAt(next.event) });
}
