import type { DomainEvent } from '../../domain/event.ts';
import type { PendingEvent } from '../../ports/store.ts';
import { type Integer, toNumber } from './columns.ts';

export interface EventRow {
  readonly subject: string;
  readonly version: Integer;
  readonly type: DomainEvent['type'];
  readonly occurred_at: Integer;
  readonly data: string;
  readonly attempts: Integer;
}

export function toPendingEvent(row: EventRow): PendingEvent {
  return {
    event: {
      subject: row.subject,
      version: toNumber(row.version),
      type: row.type,
      occurredAt: toNumber(row.occurred_at),
      data: JSON.parse(row.data),
    },
    attempts: toNumber(row.attempts),
  };
}
