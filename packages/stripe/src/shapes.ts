import { type EpochMs, err, ok, type Result } from '@chairside/core';
import * as v from 'valibot';
import { type Failure, unknown } from './failure.ts';

/** Stripe does not promise how an id begins: refunds have `re_` or `pyr_`, for example. */
const id = v.pipe(v.string(), v.regex(/^\w{1,255}$/));
const minor = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** An amount that may leave the balance. */
const signed = v.pipe(v.number(), v.safeInteger());
const seconds = minor;
const currency = v.pipe(v.string(), v.regex(/^[a-z]{3}$/));
const secret = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));
const metadata = v.record(v.string(), v.string());
const optionalText = v.nullish(v.pipe(v.string(), v.maxLength(100)));

/** The members of a Charge that the adapter uses. Its card is checked later. */
const charge = v.object({
  created: seconds,
  failure_code: v.nullish(v.unknown()),
  status: v.string(),
  payment_method_details: v.nullish(v.unknown()),
});

/** The members of a PaymentIntent that the adapter uses. */
export const intentShape = v.object({
  id,
  object: v.literal('payment_intent'),
  amount: minor,
  amount_capturable: minor,
  amount_received: minor,
  amount_details: v.nullish(v.unknown()),
  application_fee_amount: v.nullish(minor),
  client_secret: secret,
  created: seconds,
  currency,
  last_payment_error: v.nullish(v.object({ code: v.nullish(v.unknown()) })),
  latest_charge: v.nullish(v.union([v.string(), charge])),
  livemode: v.boolean(),
  metadata,
  status: v.string(),
  transfer_data: v.nullish(v.object({ destination: v.string() })),
});
export type Intent = v.InferOutput<typeof intentShape>;

const readerTip = v.object({ tip: v.object({ amount: minor }) });

/** The tip that a reader of Stripe added to the amount; `undefined` without one. */
export function readerTipOf({ amount_details }: Intent): number | undefined {
  const found = v.safeParse(readerTip, amount_details);
  return found.success ? found.output.tip.amount : undefined;
}

/** The payment methods of an intent: of the requested ones, all that the account can take. */
export const methodsShape = v.object({ payment_method_types: v.array(v.string()) });

/** A page of a list. Each item is read alone, so that none hides the others. */
export const listShape = v.object({
  object: v.literal('list'),
  data: v.array(v.unknown()),
  has_more: v.boolean(),
});

/** An object in a list, parsed only as far as its place. */
const listedShape = v.looseObject({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  created: seconds,
});
export type Listed = v.InferOutput<typeof listedShape>;

/** The object with its place in the list. Every object of Stripe has one. */
export function toListed(item: unknown): Listed | undefined {
  const parsed = v.safeParse(listedShape, item);
  return parsed.success ? parsed.output : undefined;
}

/** The object that a change of the balance is about, read with it. */
const source = v.looseObject({ id, object: v.string() });

/** The members of a BalanceTransaction that its sum needs. */
export const balanceShape = v.object({
  amount: signed,
  net: signed,
  source: v.nullish(source),
  type: v.string(),
});
export type Balance = v.InferOutput<typeof balanceShape>;

/** The members of a BalanceTransaction of ours. */
export const entryShape = v.object({
  id,
  object: v.literal('balance_transaction'),
  amount: signed,
  currency,
  fee: signed,
  fee_details: v.array(v.object({ amount: signed, currency, type: v.string() })),
  net: signed,
  source,
});
export type BalanceEntry = v.InferOutput<typeof entryShape>;

/** The platform's fee on a charge. */
export const chargedFeeShape = v.object({ application_fee_amount: v.nullish(minor) });

export const payoutShape = v.object({
  id,
  object: v.literal('payout'),
  amount: signed,
  arrival_date: seconds,
  currency,
  failure_code: optionalText,
  livemode: v.boolean(),
  reconciliation_status: v.string(),
  status: v.string(),
});

/** An attempt to confirm a setup. */
const attempt = v.object({ created: seconds, status: v.string() });

export const setupShape = v.object({
  id,
  object: v.literal('setup_intent'),
  client_secret: secret,
  customer: v.nullish(v.string()),
  latest_attempt: v.nullish(v.union([v.string(), attempt])),
  livemode: v.boolean(),
  metadata,
  payment_method: v.nullish(v.string()),
  status: v.string(),
});
export type Setup = v.InferOutput<typeof setupShape>;

/** A saved card. Without a customer it bears one payment. */
export const methodShape = v.object({
  id,
  object: v.literal('payment_method'),
  customer: v.nullish(v.string()),
});

export const tokenShape = v.object({
  object: v.literal('terminal.connection_token'),
  secret,
});

export const customerShape = v.object({
  id,
  object: v.literal('customer'),
  created: seconds,
  livemode: v.boolean(),
  metadata,
});
export type Customer = v.InferOutput<typeof customerShape>;
export const customersShape = v.object({ data: v.array(customerShape) });

export const customerSessionShape = v.object({
  object: v.literal('customer_session'),
  client_secret: secret,
  customer: v.string(),
  livemode: v.boolean(),
});

const receipt = v.object({
  application_preferred_name: optionalText,
  authorization_code: optionalText,
  cardholder_verification_method: optionalText,
  dedicated_file_name: optionalText,
});
/** How a card was read in person, or the details of a saved one. */
const read = v.object({
  amount_authorized: v.nullish(minor),
  brand: v.nullish(v.string()),
  capture_before: v.nullish(seconds),
  exp_month: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(12)),
  exp_year: v.pipe(v.number(), v.integer(), v.minValue(1000), v.maxValue(9999)),
  funding: v.nullish(v.string()),
  last4: v.pipe(v.string(), v.regex(/^\d{4}$/)),
  receipt: v.nullish(receipt),
  wallet: v.nullish(v.object({ type: v.string() })),
});
export type CardRead = v.InferOutput<typeof read>;

const details = v.union([
  v.pipe(
    v.object({ card_present: read }),
    v.transform(({ card_present }) => card_present),
  ),
  v.pipe(
    v.object({ card: read }),
    v.transform(({ card }) => card),
  ),
]);

/** The card of a charge; `undefined` for another kind of payment, or an implausible card. */
export function cardRead(chargeDetails: unknown): CardRead | undefined {
  const found = v.safeParse(details, chargeDetails);
  return found.success ? found.output : undefined;
}

export const accountShape = v.object({
  object: v.literal('account'),
  capabilities: v.nullish(
    v.object({ card_payments: v.optional(v.string()), transfers: v.optional(v.string()) }),
  ),
  charges_enabled: v.boolean(),
  country: v.nullish(v.string()),
  default_currency: v.nullish(v.string()),
  requirements: v.nullish(v.object({ disabled_reason: v.nullish(v.string()) })),
});
export type Account = v.InferOutput<typeof accountShape>;

/** A deleted location has neither address nor country. */
export const locationShape = v.object({
  object: v.literal('terminal.location'),
  deleted: v.optional(v.boolean()),
  address: v.optional(v.object({ country: v.nullish(v.string()) })),
});

/** The members of an event that the adapter uses. */
export const eventShape = v.object({
  id,
  object: v.literal('event'),
  api_version: v.nullable(v.string()),
  account: v.optional(v.string()),
  created: v.optional(seconds),
  livemode: v.boolean(),
  type: v.string(),
  data: v.object({ object: v.unknown(), previous_attributes: v.optional(v.unknown()) }),
});
export type StripeEvent = v.InferOutput<typeof eventShape>;

/** A notification of the second version of Stripe's event API. */
export const thinEventShape = v.object({ object: v.literal('v2.core.event') });

export const refundedShape = v.object({
  amount_refunded: minor,
  captured: v.boolean(),
  payment_intent: v.nullish(v.string()),
});
/** The members that the event has changed. */
export const refundedBeforeShape = v.object({
  amount_refunded: minor,
  captured: v.optional(v.boolean()),
});
export const refundShape = v.object({
  id,
  object: v.literal('refund'),
  amount: minor,
  currency,
  status: v.nullable(v.string()),
  failure_reason: optionalText,
  metadata: v.nullish(v.unknown()),
  payment_intent: v.nullish(v.string()),
});
export type Refund = v.InferOutput<typeof refundShape>;
export const disputeShape = v.object({
  id,
  amount: minor,
  currency,
  evidence_details: v.nullish(v.object({ due_by: v.nullish(seconds) })),
  payment_intent: v.nullish(v.string()),
  reason: optionalText,
  status: v.string(),
});
export type Dispute = v.InferOutput<typeof disputeShape>;

/** Accepts a reply of this shape. Any other reply leaves the outcome unknown. */
export function believe<const S extends v.GenericSchema>(
  shape: S,
  reply: unknown,
): Result<v.InferOutput<S>, Failure> {
  const parsed = v.safeParse(shape, reply);
  return parsed.success ? ok(parsed.output) : err(unknown);
}

/**
 * The time of a reply by Stripe's clock (D42): its `Date` header, which the SDK keeps beside the
 * body. It is rounded down to seconds, so a payment never seems older than it is.
 */
export function answeredAt(reply: unknown): { readonly at?: EpochMs } {
  const headers = memberOf(memberOf(reply, 'lastResponse'), 'headers');
  // A host's own HTTP client may use the `Headers` of `fetch` instead of a plain object.
  const date = headers instanceof Headers ? headers.get('date') : memberOf(headers, 'date');
  const at = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? {} : { at };
}

function memberOf(of: unknown, name: string): unknown {
  return Reflect.get(Object(of), name);
}
