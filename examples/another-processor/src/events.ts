import { createHmac, timingSafeEqual } from 'node:crypto';
import { type EpochMs, err, minuteMs, ok, Result } from '@chairside/core';
import type { ProcessorError, ProcessorEvent, RawEvent } from '@chairside/core/ports';
import * as v from 'valibot';
import { rejected } from './connection.ts';
import { bookingsOf, disputeStates } from './disputes.ts';
import { amount, text, time } from './shapes.ts';

/** `<time in ms>.<HMAC-SHA256 of "<time in ms>.<payload>" in hex>` */
export const signatureHeader = 'tally-signature';
const toleranceMs = 5 * minuteMs;

export function sign(payload: string, secret: string, at: EpochMs): RawEvent {
  return { payload, headers: { [signatureHeader]: `${at}.${codeOf(`${at}`, payload, secret)}` } };
}

function codeOf(at: string, payload: string, secret: string): string {
  return createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  return (
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  );
}

const orderShape = v.object({
  merchant: text,
  number: text,
  source: text,
  sale: v.nullable(text),
});
const givenBackShape = v.object({ id: text, total: amount });

const messageShape = v.object({
  id: text,
  type: text,
  order: v.optional(orderShape),
  refund: v.optional(givenBackShape),
  dispute: v.optional(
    v.object({
      ...givenBackShape.entries,
      state: v.picklist(disputeStates),
      at: time,
    }),
  ),
});

const parseJson = Result.fromThrowable(JSON.parse, () => rejected('malformedMessage'));

/** Checks the signature of the body as it came, then its time, and parses only then. */
export function parseEvent(
  { payload, headers }: RawEvent,
  secret: string,
  now: EpochMs,
): Result<ProcessorEvent, ProcessorError> {
  const [, at = '', code = ''] =
    /^(\d{1,15})\.([0-9a-f]{64})$/.exec(headers[signatureHeader] ?? '') ?? [];
  if (!isSame(code, codeOf(at, payload, secret))) return err(rejected('wrongSignature'));
  if (Math.abs(now - Number(at)) > toleranceMs) return err(rejected('staleSignature'));
  return parseJson(payload).andThen((json) => {
    const parsed = v.safeParse(messageShape, json);
    const event = parsed.success ? toEvent(parsed.output) : undefined;
    return event === undefined ? err(rejected('malformedMessage')) : ok(event);
  });
}

function toEvent(message: v.InferOutput<typeof messageShape>): ProcessorEvent | undefined {
  const { id, type, order, refund, dispute } = message;
  if (!/^(order|refund|dispute)\./.test(type)) return { id, kind: 'ignored' };
  if (order === undefined) return undefined;
  const about = {
    id,
    account: order.merchant,
    paymentId: order.number,
    installation: order.source,
  };
  if (type.startsWith('order.')) return { ...about, kind: 'payment' };
  const given = refund ?? dispute;
  if (order.sale === null || given === undefined) return undefined;
  const told = { ...about, reference: order.sale, subject: given.id, amountMinor: given.total };
  if (dispute === undefined) return { ...told, kind: 'refund' };
  const { state, at } = dispute;
  const bookings = bookingsOf(state, given.total);
  return { ...told, kind: 'dispute', dispute: { state, bookings, at } };
}
