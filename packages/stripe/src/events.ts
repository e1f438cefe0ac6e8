import {
  type EpochMs,
  err,
  ok,
  okAsync,
  type Result,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import type { ProcessorEvent, RawEvent } from '@chairside/core/ports';
import Stripe from 'stripe';
import type { Call } from './connection.ts';
import { toDispute } from './disputes.ts';
import { type Failure, notApplied, rejected } from './failure.ts';
import { retrieveMetadata } from './intents.ts';
import { type Metadata, metadataOf, type PaymentMarks, paymentMarks } from './marks.ts';
import { isRelease } from './refunds.ts';
import {
  believe,
  disputeShape,
  eventShape,
  refundedBeforeShape,
  refundedShape,
  refundShape,
  type StripeEvent,
  thinEventShape,
  warningShape,
} from './shapes.ts';

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
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'radar.early_fraud_warning.created',
] as const satisfies readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** Checks a message's signature, then parses the message (D25). */
export function parseEvent(
  call: Call,
  raw: RawEvent,
  now: EpochMs,
): ResultAsync<ProcessorEvent, Failure> {
  return safeTry(async function* () {
    if (!(await isSigned(call, raw, now))) return err(rejected('invalidSignature'));
    const message = parseJson(raw.payload);
    // The endpoint sends thin payloads, which name the object but do not contain it.
    if (believe(thinEventShape, message).isOk()) return err(rejected('thinEvent'));
    const parsed = believe(eventShape, message);
    if (parsed.isErr()) return err(malformed);
    const event = parsed.value;
    // Releases within one major version of Stripe's API (`2026-10-28.endive`) only add members.
    if (event.api_version?.split('.')[1] !== Stripe.MAJOR_API_VERSION) {
      return err(rejected('unsupportedApiVersion'));
    }
    const read = readers.get(event.type) ?? readers.get(event.type.split('.')[0] ?? '');
    // An endpoint for connected accounts receives messages of test mode as well as live ones.
    const { livemode = call.livemode } = event;
    if (read === undefined || livemode !== call.livemode) return ok(ignored(event));
    // A destination of an organization names the account there, in a form that no payment here has.
    if (call.charges === 'direct' && event.account === undefined && event.context !== undefined) {
      return ok({ ...ignored(event), why: 'organizationEvent' });
    }
    // The marks come first: objects of other systems may have any shape (D51).
    const marks = yield* marksIn(call, event, Object(event.data.object));
    return marks === undefined ? ok(ignored(event)) : read(event, marks, call);
  });
}

const toleranceSeconds = 300;

async function isSigned(
  { webhookSecrets }: Call,
  { payload, headers }: RawEvent,
  now: EpochMs,
): Promise<boolean> {
  const header = headers['stripe-signature'] ?? '';
  const { signature } = Stripe.webhooks;
  for (const secret of webhookSecrets) {
    try {
      const args = [secret, toleranceSeconds, undefined, now] as const;
      const isValid = await signature?.verifyHeaderAsync(payload, header, ...args);
      if (isValid) return hasBegun(header, now);
    } catch {
      // The error quotes the message and the header, and may contain a secret.
    }
  }
  return false;
}

/**
 * The SDK accepts a signature of any time to come, which could be repeated until then. A time in
 * another form than Stripe's is rejected.
 */
function hasBegun(header: string, now: EpochMs): boolean {
  const seconds = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1]);
  return seconds * secondMs - now <= toleranceSeconds * secondMs;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const malformed = rejected('malformedEvent');

function ignored({ id }: StripeEvent): ProcessorEvent {
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
  return retrieveMetadata(call, event.account, intentId)
    .map((metadata) => marksOf(call, event, metadata))
    .mapErr(() => notApplied);
}

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

type Read = (
  event: StripeEvent,
  marks: PaymentMarks,
  call: Call,
) => Result<ProcessorEvent, Failure>;

/** The charge has the sum of its refunds; this refund is the difference to the sum before. */
const readChargeRefund: Read = (event, marks) =>
  believe(refundedShape, event.data.object)
    .mapErr(() => malformed)
    .map((charge) => {
      const before = believe(refundedBeforeShape, event.data.previous_attributes).unwrapOr(null);
      const refunded = charge.amount_refunded - (before?.amount_refunded ?? 0);
      const reference = charge.payment_intent;
      // Stripe also reports the release of an uncaptured authorization as a refund.
      const wasHeld = (before?.captured ?? charge.captured) === false;
      if (wasHeld || !reference || refunded <= 0) return ignored(event);
      const { id } = event;
      // The message names the charge and the sum of its refunds, but not the refund.
      const about = { id, kind: 'refund' as const, subject: id, reference };
      return { ...about, amountMinor: BigInt(refunded), ...marks };
    });

/** A refund began or changed. The core lists the payment's refunds and trusts that list. */
const readRefund: Read = (event, marks) =>
  believe(refundShape, event.data.object)
    .mapErr(() => malformed)
    .map((refund) => {
      const { id: subject, payment_intent: reference, amount } = refund;
      if (!reference || amount <= 0 || isRelease(refund)) return ignored(event);
      const about = { id: event.id, kind: 'refund' as const, subject, reference };
      return { ...about, amountMinor: BigInt(amount), ...marks };
    });

const readDispute: Read = (event, marks, call) =>
  believe(disputeShape, event.data.object)
    .mapErr(() => malformed)
    .map((shown) => {
      const { payment_intent: reference } = shown;
      if (!reference) return ignored(event);
      const { reference: subject, amountMinor, ...dispute } = toDispute(shown);
      const at = event.created === undefined ? call.clock.now() : event.created * secondMs;
      const about = { id: event.id, kind: 'dispute' as const, subject, reference, amountMinor };
      return { ...about, ...marks, dispute: { ...dispute, at } };
    });

const readWarning: Read = (event, marks) =>
  believe(warningShape, event.data.object)
    .mapErr(() => malformed)
    .map(({ actionable, payment_intent: reference }) =>
      // It was refunded or disputed before Stripe sent this.
      reference === undefined || actionable === false
        ? ignored(event)
        : { id: event.id, kind: 'fraudWarning', reference, ...marks },
    );

/** How each type is read, or all types that begin so. */
const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['payment_intent', ({ id }, marks) => ok({ id, kind: 'payment', ...marks })],
  ['charge.refunded', readChargeRefund],
  ['refund', readRefund],
  ['charge.dispute.created', readDispute],
  ['charge.dispute.updated', readDispute],
  ['charge.dispute.closed', readDispute],
  // The money may move apart from the case.
  ['charge.dispute.funds_withdrawn', readDispute],
  ['charge.dispute.funds_reinstated', readDispute],
  ['radar.early_fraud_warning.created', readWarning],
]);
