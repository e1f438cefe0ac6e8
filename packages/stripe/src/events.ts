import {
  type EpochMs,
  err,
  ok,
  okAsync,
  type ProcessorEvent,
  type RawEvent,
  type Result,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import Stripe from 'stripe';
import type * as v from 'valibot';
import type { Call } from './connection.ts';
import { disputeTypes, toDispute } from './disputes.ts';
import { type Failure, notApplied, rejected } from './failure.ts';
import { retrieveMetadata } from './intents.ts';
import { type Metadata, metadataOf, type PaymentMarks, paymentMarks } from './marks.ts';
import {
  believe,
  disputeShape,
  eventShape,
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
  const { id, type, data } = event;
  return safeTry(async function* () {
    const meaning = meanings.get(type) ?? meanings.get(type.split('.')[0] ?? '');
    // An endpoint for connected accounts receives messages of test mode as well as live ones.
    if (meaning === undefined || event.livemode !== call.livemode) return ok(ignored(id));
    // The marks come first: objects of other systems may have any shape (D51).
    const marks = yield* marksIn(call, event, Object(data.object));
    return marks === undefined ? ok(ignored(id)) : meaning(call, event, marks);
  });
}

type Meaning = (
  call: Call,
  event: StripeEvent,
  marks: PaymentMarks,
) => Result<ProcessorEvent, Failure>;

/** The meaning of each type, or of all types that begin so. */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  ['payment_intent', (_, { id }, marks) => ok({ id, kind: 'payment' as const, ...marks })],
  ['charge.refunded', refunded],
  ['refund', refundChanged],
  ...[...disputeTypes].map((type): [string, Meaning] => [type, disputed]),
]);

function ignored(id: string): ProcessorEvent {
  return { id, kind: 'ignored' };
}

/**
 * The marks of the payment that a message concerns; `undefined` if it is not ours. A refund of the
 * dashboard and a dispute have no marks of ours, but their intent does.
 */
function marksIn(
  call: Call,
  event: StripeEvent,
  object: object,
): ResultAsync<PaymentMarks | undefined, Failure> {
  const own = marksOf(call, event, metadataOf(object));
  const intentId: unknown = Reflect.get(object, 'payment_intent');
  const isElsewhere = (call.charges === 'direct') !== (event.account !== undefined);
  if (own !== undefined || isElsewhere || typeof intentId !== 'string' || intentId === '') {
    return okAsync(own);
  }
  // Stripe repeats the message for days, so that a payment that cannot be read now is not missed. The
  // platform may have lost its access to the account for a while.
  return retrieveMetadata(call, event.account ?? platform, intentId)
    .map((metadata) => marksOf(call, event, metadata))
    .mapErr(() => notApplied);
}

/** Only the format matters: with destination charges a request names no account. */
const platform = 'acct_platform';

/** The payment's marks. A mark of one account in a message of another is ignored. */
function marksOf(
  call: Call,
  event: StripeEvent,
  metadata: Metadata = {},
): PaymentMarks | undefined {
  const marks = paymentMarks(metadata);
  if (marks === undefined) return undefined;
  const account = call.charges === 'direct' ? marks.account : undefined;
  return event.account === account ? marks : undefined;
}

const nothing: v.InferOutput<typeof refundedBeforeShape> = { amount_refunded: 0 };

/** The charge has the sum of its refunds; this refund is the difference to the sum before. */
function refunded(
  _: Call,
  { id, data }: StripeEvent,
  marks: PaymentMarks,
): Result<ProcessorEvent, Failure> {
  return read(refundedShape, data.object).map((charge) => {
    const before = believe(refundedBeforeShape, data.previous_attributes).unwrapOr(nothing);
    const refunded = charge.amount_refunded - before.amount_refunded;
    const reference = charge.payment_intent;
    // Stripe also reports the release of an uncaptured authorization as a refund.
    const isRelease = !(before.captured ?? charge.captured);
    if (isRelease || !reference || refunded <= 0) return ignored(id);
    const amountMinor = BigInt(refunded);
    // The message names the charge and the sum of its refunds, but not the refund.
    return { id, kind: 'refund' as const, subject: id, reference, amountMinor, ...marks };
  });
}

/** A refund began or changed. The core lists the payment's refunds and trusts that list. */
function refundChanged(
  _: Call,
  { id, data }: StripeEvent,
  marks: PaymentMarks,
): Result<ProcessorEvent, Failure> {
  return read(refundShape, data.object).map(
    ({ id: subject, payment_intent: reference, amount }) => {
      if (!reference || amount <= 0) return ignored(id);
      const amountMinor = BigInt(amount);
      return { id, kind: 'refund' as const, subject, reference, amountMinor, ...marks };
    },
  );
}

function disputed(
  call: Call,
  { id, created, data }: StripeEvent,
  marks: PaymentMarks,
): Result<ProcessorEvent, Failure> {
  return read(disputeShape, data.object).map((shown) => {
    const { payment_intent: reference } = shown;
    if (!reference) return ignored(id);
    const { reference: subject, amountMinor, ...dispute } = toDispute(shown);
    const at = created === undefined ? call.clock.now() : created * secondMs;
    const about = { id, kind: 'dispute' as const, subject, reference, amountMinor, ...marks };
    return { ...about, dispute: { ...dispute, at } };
  });
}

function read<S extends typeof refundedShape | typeof refundShape | typeof disputeShape>(
  shape: S,
  object: unknown,
) {
  return believe(shape, object).mapErr(() => rejected('malformedEvent'));
}
