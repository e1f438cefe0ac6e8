import type { EventActor } from '../frame/record.ts';
import type { PendingEvent } from '../ports/store.ts';
import { type Encoders, tableOf, toNumber } from '../storage/columns.ts';
import { parseMoney } from '../values/money.ts';
import { err, ok, type Result } from '../values/result.ts';
import { formatTimestamp } from '../values/time.ts';
import type {
  DomainEvent,
  EventShare,
  PaymentStateEventData,
  RefundEventData,
  ShareEvent,
} from './event.ts';

/**
 * A domain event in the form for the host: CloudEvents 1.0 in JSON. A `switch` on `type` narrows
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
  /** The id of the payment, tender, terminal or review. Its events arrive in order. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /**
   * The subject's version, padded to 16 digits, so that the text order is the order of the events.
   */
  readonly sequence: string;
  readonly data: Event['data'];
  /** It tells the present state in a replay, and not a change (`events.replay`). */
  readonly retold?: true;
}

/** Who did it, if somebody did. */
export function actorIn({ data }: DomainEvent): EventActor | undefined {
  return 'by' in data ? data.by : undefined;
}

/** CloudEvents compares sequences as text. The greatest safe integer has 16 digits. */
const sequenceDigits = 16;

/** @param subject names the one who did it, for the host. */
export function toCloudEvent(
  installation: string,
  event: DomainEvent,
  subject: string | undefined,
): CloudEvent {
  const by = actorIn(event);
  const cloudEvent: CloudEventOf<DomainEvent> = {
    specversion: '1.0',
    id: `${event.subject}/${event.version}`,
    source: `urn:chairside:${encodeURIComponent(installation)}`,
    type: event.type,
    subject: event.subject,
    time: formatTimestamp(event.occurredAt),
    datacontenttype: 'application/json',
    sequence: String(event.version).padStart(sequenceDigits, '0'),
    data:
      // Stryker disable next-line ConditionalExpression: nobody has no subject.
      by === undefined || subject === undefined
        ? event.data
        : { ...event.data, by: { ...by, subject } },
  };
  return cloudEvent as CloudEvent; // cast: type and data come from one event
}

/**
 * What a payment took or a refund gave back: one row for each `reference`. A later event of the same
 * reference replaces the row. The three amounts are in minor units, and negative for a refund; their
 * sums over the rows of an appointment are what its customer has paid.
 */
export interface MoneyEntry {
  /** The id of the payment or the refund. */
  readonly reference: string;
  readonly contactlessPaymentId: string;
  readonly appointmentId: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The part that pays for the visit, deposits included. */
  readonly paidMinor: bigint;
  /** The part that is tip. Nobody owes it, so it pays for no visit. */
  readonly tipMinor: bigint;
  /** The fee for a missed visit. It is not a part of the visit's price either. */
  readonly feeMinor: bigint;
  /** The sequence of the event. Compare it as text: a later event has a greater one. */
  readonly sequence: string;
}

/**
 * Reads what an event says about money: `ok(undefined)` for an event that moves none, such as a dispute,
 * which changes no appointment's balance. Fails with `malformed` if the value is no event of
 * Chairside.
 *
 * @example
 * const entry = moneyEntryOf(event).unwrapOr(undefined);
 * if (entry !== undefined) await table.upsert(entry);
 */
export function moneyEntryOf(event: CloudEvent): Result<MoneyEntry | undefined, 'malformed'> {
  // Events may come as JSON, and hosts without types may pass any value.
  if (typeof event !== 'object' || event === null) return err('malformed');
  switch (event.type) {
    case 'contactlessPayment.captured':
      return entryOf(event, event.data, event.data?.contactlessPaymentId, 1n);
    // Only what a person's word had recorded as captured was an entry before (D201).
    case 'contactlessPayment.canceled':
      return event.data?.corrects === undefined
        ? ok(undefined)
        : entryOf(event, event.data, event.data.contactlessPaymentId, 0n);
    case 'contactlessPayment.refunded':
      return entryOf(event, event.data, event.data?.refundId ?? event.id, -1n);
    // A bank may return a refund days after it succeeded.
    case 'contactlessPayment.refundFailed':
    case 'contactlessPayment.refundCanceled':
      return entryOf(event, event.data, event.data?.refundId ?? event.id, 0n);
    default:
      return typeof event.type === 'string' ? ok(undefined) : err('malformed');
  }
}

/**
 * The same where payments may belong to several visits (`shares: true`): one row for each visit. The row of a visit
 * that a payment was moved away from becomes zero.
 *
 * @example
 * for (const entry of moneyEntriesOf(event).unwrapOr([])) await table.upsert(entry);
 */
export function moneyEntriesOf(event: CloudEvent): Result<readonly MoneyEntry[], 'malformed'> {
  const whole = moneyEntryOf(event);
  if (whole.isErr()) return err(whole.error);
  if (event.type === 'contactlessPayment.shared') return entriesOfSharing(event);
  if (whole.value === undefined) return ok([]);
  const shares = 'shares' in event.data ? event.data.shares : undefined;
  if (shares === undefined) return ok([whole.value]);
  if (!Array.isArray(shares)) return err('malformed');
  const { paidMinor, tipMinor, feeMinor } = whole.value;
  const sign = Math.sign(Number(paidMinor + tipMinor + feeMinor));
  return entriesOfShares(whole.value, shares, BigInt(sign));
}

function entriesOfSharing({
  data,
  sequence,
}: CloudEventOf<ShareEvent>): Result<readonly MoneyEntry[], 'malformed'> {
  const { contactlessPaymentId, appointmentId, currency, shares, moves } = data ?? {};
  const texts = [contactlessPaymentId, appointmentId, currency, sequence];
  if (texts.some((text) => typeof text !== 'string')) return err('malformed');
  if (!Array.isArray(shares) || !Array.isArray(moves)) return err('malformed');
  const none = { paidMinor: 0n, tipMinor: 0n, feeMinor: 0n };
  const reference = contactlessPaymentId;
  const whole = { reference, contactlessPaymentId, appointmentId, currency, sequence, ...none };
  const left = moves.map((move) => ({ ...move, amount: '0.00', tip: '0.00' }));
  return entriesOfShares(whole, [...left, ...shares], 1n);
}

/** One row for each visit. That of the visit which the payment was opened for keeps the reference. */
function entriesOfShares(
  whole: MoneyEntry,
  shares: readonly EventShare[],
  sign: bigint,
): Result<readonly MoneyEntry[], 'malformed'> {
  const none = { paidMinor: 0n, tipMinor: 0n, feeMinor: 0n };
  const entries = new Map([[whole.appointmentId, { ...whole, ...none }]]);
  for (const share of shares) {
    const { appointmentId, amount = '', tip = '0.00' }: Partial<EventShare> = Object(share);
    const amountMinor = parseMoney(amount);
    const tipMinor = parseMoney(tip);
    if (typeof appointmentId !== 'string' || amountMinor.isErr() || tipMinor.isErr()) {
      return err('malformed');
    }
    const reference = `${whole.reference}/${appointmentId}`;
    const entry = entries.get(appointmentId) ?? { ...whole, ...none, reference, appointmentId };
    entries.set(appointmentId, {
      ...entry,
      paidMinor: entry.paidMinor + sign * (amountMinor.value - tipMinor.value),
      tipMinor: entry.tipMinor + sign * tipMinor.value,
    });
  }
  return ok([...entries.values()]);
}

function entryOf(
  { sequence }: CloudEvent,
  data: PaymentStateEventData | RefundEventData | undefined,
  reference: string | undefined,
  sign: bigint,
): Result<MoneyEntry, 'malformed'> {
  const { contactlessPaymentId, appointmentId, currency, purpose, tip = '0.00' } = data ?? {};
  const amountMinor = parseMoney(data?.amount ?? '');
  const tipMinor = parseMoney(tip);
  if (amountMinor.isErr() || tipMinor.isErr()) return err('malformed');
  const isWhole =
    isText(reference) && isText(contactlessPaymentId) && isText(appointmentId) && isText(currency);
  if (!isWhole || !isText(sequence)) return err('malformed');
  const owedMinor = sign * (amountMinor.value - tipMinor.value);
  const isFee = purpose === 'noShow';
  return ok({
    reference,
    contactlessPaymentId,
    appointmentId,
    currency,
    paidMinor: isFee ? 0n : owedMinor,
    tipMinor: sign * tipMinor.value,
    feeMinor: isFee ? owedMinor : 0n,
    sequence,
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const eventEncoders = {
  subject: ({ event }) => event.subject,
  version: ({ event }) => event.version,
  type: ({ event }) => event.type,
  occurred_at: ({ event }) => event.occurredAt,
  data: ({ event }) => JSON.stringify(event.data),
  attempts: ({ attempts }) => attempts,
} satisfies Encoders<PendingEvent>;

export const eventTable = tableOf(
  eventEncoders,
  (row): PendingEvent => ({
    event: {
      subject: row.subject,
      version: toNumber(row.version),
      type: row.type,
      occurredAt: toNumber(row.occurred_at),
      data: JSON.parse(row.data),
    },
    attempts: toNumber(row.attempts),
  }),
);
