import type { DomainEvent } from '../domain/event.ts';
import { formatTimestamp } from '../domain/time.ts';

/**
 * A domain event in the form for the host: CloudEvents 1.0 in JSON (D26). A `switch` on `type` narrows
 * `data`.
 */
export type CloudEvent = DomainEvent extends infer Event
  ? Event extends DomainEvent
    ? CloudEventOf<Event>
    : never
  : never;

/** The CloudEvent of one kind of domain event. */
export interface CloudEventOf<Event extends DomainEvent> {
  readonly specversion: '1.0';
  /** The same for every delivery of the event. */
  readonly id: string;
  readonly source: string;
  readonly type: Event['type'];
  /** The id of the payment, terminal or review. Its events arrive in order. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /**
   * The subject's version, padded to 16 digits, so that the text order is the order of the events.
   */
  readonly sequence: string;
  readonly data: Event['data'];
}

/** CloudEvents compares sequences as text. The greatest safe integer has 16 digits. */
const sequenceDigits = 16;

export function toCloudEvent(installation: string, event: DomainEvent): CloudEvent {
  const cloudEvent: CloudEventOf<DomainEvent> = {
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
  return cloudEvent as CloudEvent; // cast: type and data come from one event
}
