import type { DomainEvent } from '@chairside/core';
import type { ChangeOf, EventKey } from '@chairside/core/ports';
import { keyOf, pair } from './names.ts';
import { take } from './table.ts';
import { firstOf, type StoredEvent, type Tables } from './tables.ts';

export function appendEvent(tables: Tables, event: DomainEvent): boolean {
  const before = firstOf(tables, event.subject);
  const isNext = before === undefined || event.version < before.event.version;
  const stored = { event, attempts: 0, isDead: false };
  const record = isNext ? { ...stored, deliverAt: event.occurredAt } : stored;
  return tables.events.insert(keyOf(event), record);
}

export function leaseEvent(tables: Tables, change: ChangeOf<'leaseEvent'>): boolean {
  const { attempts, deliverAt } = change;
  const stored = tables.events.get(keyOf(change));
  if (stored === undefined || stored.isDead || stored.attempts !== attempts) return false;
  if (!isFirst(tables, change)) return false;
  return putEvent(tables, { ...stored, attempts: attempts + 1, deliverAt });
}

export function postponeEvent(tables: Tables, change: ChangeOf<'postponeEvent'>): boolean {
  const stored = tables.events.get(keyOf(change));
  if (stored === undefined || isTakenUpSince(stored, change)) return false;
  const { event, attempts } = stored;
  const { deliverAt } = change;
  return deliverAt === undefined
    ? putEvent(tables, { event, attempts, isDead: true })
    : putEvent(tables, { event, attempts, isDead: false, deliverAt });
}

export function reviveEvent(tables: Tables, change: ChangeOf<'reviveEvent'>): boolean {
  const stored = tables.events.get(keyOf(change));
  if (!stored?.isDead) return false;
  const { deliverAt } = change;
  return putEvent(tables, { event: stored.event, attempts: 0, isDead: false, deliverAt });
}

export function removeEvent(tables: Tables, change: ChangeOf<'removeEvent'>): boolean {
  const stored = tables.events.get(keyOf(change));
  if (!isFirst(tables, change) || stored === undefined || isTakenUpSince(stored, change)) {
    return false;
  }
  if (change.keptAt !== undefined) {
    const before = tables.keptEvents.group('subject', change.subject);
    const keptAt = Math.max(change.keptAt, ...before.map(({ record }) => record.keptAt));
    tables.keptEvents.put(pair(keyOf(change), keptAt), { event: stored.event, keptAt });
  }
  tables.events.remove(keyOf(change));
  return wakeNext(tables, change.subject, () => change.deliverAt);
}

/** Removes events that have been due for long without delivery. */
export function forgetEvents(
  tables: Tables,
  { now, eventsBefore, limit }: Pick<ChangeOf<'forget'>, 'now' | 'eventsBefore' | 'limit'>,
): true {
  const { events } = tables;
  for (const { id, record } of take(events.upTo('untaken', eventsBefore - 1), limit)) {
    const { event, deliverAt = now } = record;
    // Still due at the time of its writer, whose clock may be far behind: it counts from now on.
    if (deliverAt === event.occurredAt) {
      events.put(id, { ...record, deliverAt: now });
      continue;
    }
    events.remove(id);
    wakeNext(tables, event.subject, ({ occurredAt }) => Math.max(occurredAt, deliverAt));
  }
  return true;
}

export function isFirst(tables: Tables, { subject, version }: EventKey): boolean {
  return firstOf(tables, subject)?.event.version === version;
}

/** An expired lease of the event has no effect any more. */
function isTakenUpSince(stored: StoredEvent, { attempts }: { readonly attempts?: number }) {
  return attempts !== undefined && attempts !== stored.attempts;
}

function putEvent({ events }: Tables, stored: StoredEvent): true {
  return events.put(keyOf(stored.event), stored);
}

/** The event behind a removed one is now the first of its subject. */
function wakeNext(
  tables: Tables,
  subject: string,
  deliverAt: (event: DomainEvent) => number,
): true {
  const next = firstOf(tables, subject);
  if (next === undefined || next.isDead || next.deliverAt !== undefined) return true;
  return putEvent(tables, { ...next, deliverAt: deliverAt(next.event) });
}
