import type { DomainEvent } from '../domain/event.ts';
import type { JsonObject } from '../domain/json.ts';
import { formatTimestamp } from '../domain/time.ts';

/** A domain event as the host receives it: CloudEvents 1.0 in JSON (D26). */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** The same for every delivery of the same event. */
  readonly id: string;
  readonly source: string;
  readonly type: DomainEvent['type'];
  /** The payment or terminal it is about; its events arrive in order. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** The subject's version, which orders its events: 16 digits, so that it does as text too. */
  readonly sequence: string;
  readonly data: JsonObject;
}

/** CloudEvents orders sequences as text; no version has more digits than the greatest safe integer. */
const sequenceDigits = 16;

/** The event as a handler is given it. */
export function toCloudEvent(installation: string, event: DomainEvent): CloudEvent {
  return {
    specversion: '1.0',
    id: `${event.subject}/${event.version}`,
    source: `urn:chairside:${encodeURIComponent(installation)}`,
    type: event.type,
    subject: event.subject,
    time: formatTimestamp(event.occurredAt),
    datacontenttype: 'application/json',
    sequence: String(event.version).padStart(sequenceDigits, '0'),
    data: event.data,
  };
}
