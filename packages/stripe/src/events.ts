import {
  type EpochMs,
  err,
  ok,
  okAsync,
  type ProcessorEvent,
  type RawEvent,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import Stripe from 'stripe';
import type * as v from 'valibot';
import type { Call } from './connection.ts';
import { disputeStateOf, disputeTypes } from './dispute-events.ts';
import { type Failure, notApplied, rejected } from './failure.ts';
import { retrieveIntent } from './intents.ts';
import { type Metadata, type PaymentMarks, paymentMarks } from './marks.ts';
import {
  believe,
  disputeShape,
  eventShape,
  markedShape,
  refundedBeforeShape,
  refundedShape,
  refundShape,
  type StripeEvent,
  thinEventShape,
} from './shapes.ts';
import { checkSignature } from './signature.ts';

/** The event types for an endpoint's subscription. All others are acknowledged and ignored. */
export const stripeEventTypes = [
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.succeeded',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const satisfies readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** Checks a message's signature, then parses the message (D25). */
export function parseEvent(
  call: Call,
  raw: RawEvent,
  now: EpochMs,
): ResultAsync<ProcessorEvent, Failure> {
  return safeTry(async function* () {
    yield* checkSignature(call, raw, now);
    const message = parseJson(raw.payload);
    // The endpoint sends thin payloads, which name the object but do not contain it.
    if (believe(thinEventShape, message).isOk()) return err(rejected('thinEvent'));
    const event = believe(eventShape, message);
    if (event.isErr()) return err(rejected('malformedEvent'));
    if (!isOurVersion(event.value.api_version)) return err(rejected('unsupportedApiVersion'));
    return meaningOf(call, event.value);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Releases within one major version of Stripe's API (`2026-10-28.endive`) only add members. */
function isOurVersion(version: string | null): boolean {
  return version?.split('.')[1] === Stripe.MAJOR_API_VERSION;
}

function meaningOf(call: Call, event: StripeEvent): ResultAsync<ProcessorEvent, Failure> {
  const { id, type } = event;
  return safeTry(async function* () {
    // An endpoint for connected accounts receives messages of test mode as well as live ones.
    if (event.livemode !== call.livemode) return ok({ id, kind: 'ignored' as const });
    if (type.startsWith('payment_intent.')) {
      const { metadata } = yield* read(markedShape, event.data.object);
      const marks = marksOf(call, event, metadata);
      return ok(marks ? { id, kind: 'payment' as const, ...marks } : ignored(id));
    }
    if (type === 'charge.refunded') return refunded(call, event);
    if (type.startsWith('refund.')) return refundChanged(call, event);
    if (type.startsWith('charge.dispute.')) return disputed(call, event);
    return ok(ignored(id));
  });
}

function ignored(id: string): ProcessorEvent {
  return { id, kind: 'ignored' };
}

/** The payment's marks. A mark of one account in a message of another is ignored. */
function marksOf(call: Call, event: StripeEvent, metadata: Metadata): PaymentMarks | undefined {
  const marks = paymentMarks(metadata);
  if (marks === undefined) return undefined;
  const account = call.charges === 'direct' ? marks.account : undefined;
  return event.account === account ? marks : undefined;
}

const nothing: v.InferOutput<typeof refundedBeforeShape> = { amount_refunded: 0 };

/** The charge has the sum of its refunds; this refund is the difference to the sum before. */
function refunded(call: Call, event: StripeEvent): ResultAsync<ProcessorEvent, Failure> {
  const { id, data } = event;
  return safeTry(async function* () {
    const charge = yield* read(refundedShape, data.object);
    const before = believe(refundedBeforeShape, data.previous_attributes).unwrapOr(nothing);
    // Stripe also reports the release of an uncaptured authorization as a refund.
    if (!(before.captured ?? charge.captured)) return ok(ignored(id));
    const refunded = charge.amount_refunded - before.amount_refunded;
    const marks =
      marksOf(call, event, charge.metadata) ??
      (yield* marksOfIntent(call, event, charge.payment_intent));
    const reference = charge.payment_intent;
    if (marks === undefined || !reference || refunded <= 0) return ok(ignored(id));
    const amountMinor = BigInt(refunded);
    // The message names the charge and the sum of its refunds, but not the refund.
    return ok({ id, kind: 'refund' as const, subject: id, reference, amountMinor, ...marks });
  });
}

/** A refund began or changed. The core lists the payment's refunds and trusts that list. */
function refundChanged(call: Call, event: StripeEvent): ResultAsync<ProcessorEvent, Failure> {
  const { id, data } = event;
  return safeTry(async function* () {
    const refund = yield* read(refundShape, data.object);
    const { id: subject, payment_intent: reference, amount } = refund;
    const marks =
      marksOf(call, event, refund.metadata ?? {}) ?? (yield* marksOfIntent(call, event, reference));
    if (marks === undefined || !reference || amount <= 0) return ok(ignored(id));
    const amountMinor = BigInt(amount);
    return ok({ id, kind: 'refund' as const, subject, reference, amountMinor, ...marks });
  });
}

function disputed(call: Call, event: StripeEvent): ResultAsync<ProcessorEvent, Failure> {
  const { id, type, created, data } = event;
  return safeTry(async function* () {
    if (!disputeTypes.has(type)) return ok(ignored(id));
    const shown = yield* read(disputeShape, data.object);
    const { id: subject, amount, payment_intent: reference } = shown;
    const marks = yield* marksOfIntent(call, event, reference);
    if (marks === undefined || !reference) return ok(ignored(id));
    const respondBy = shown.evidence_details?.due_by;
    return ok({
      id,
      kind: 'dispute' as const,
      subject,
      reference,
      amountMinor: BigInt(amount),
      dispute: {
        state: disputeStateOf(shown.status),
        currency: shown.currency,
        at: created === undefined ? call.clock.now() : created * secondMs,
        ...(shown.reason && { reason: shown.reason }),
        ...(respondBy && { respondBy: respondBy * secondMs }),
      },
      ...marks,
    });
  });
}

/** A dispute has no marks of ours, but its intent does. */
function marksOfIntent(
  call: Call,
  event: StripeEvent,
  intentId: string | null | undefined,
): ResultAsync<PaymentMarks | undefined, Failure> {
  const isElsewhere = (call.charges === 'direct') !== (event.account !== undefined);
  if (isElsewhere || !intentId || !/^pi_\w{1,200}$/.test(intentId)) return okAsync(undefined);
  // Stripe repeats the message for days, so that a payment that cannot be read now is not missed. The
  // platform may have lost its access to the account for a while.
  return retrieveIntent(call, event.account ?? platform, intentId)
    .map((intent) => intent && marksOf(call, event, intent.metadata))
    .mapErr(() => notApplied);
}

/** Only the format matters: with destination charges a request names no account. */
const platform = 'acct_platform';

function read<
  S extends typeof markedShape | typeof refundedShape | typeof refundShape | typeof disputeShape,
>(shape: S, object: unknown) {
  return believe(shape, object).mapErr(() => rejected('malformedEvent'));
}
