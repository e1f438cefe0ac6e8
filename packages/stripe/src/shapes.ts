import { type EpochMs, err, ok, type Result } from '@chairside/core';
import * as v from 'valibot';
import { type Failure, unknown } from './failure.ts';
import { type Metadata, metadataOf } from './marks.ts';

/** Stripe does not promise how an id begins: refunds have `re_` or `pyr_`, for example. */
const id = v.pipe(v.string(), v.regex(/^\w{1,255}$/));
const minor = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** An amount that may leave the balance. */
const signed = v.pipe(v.number(), v.safeInteger());
const seconds = minor;
const currency = v.pipe(v.string(), v.regex(/^[a-z]{3}$/));
const secret = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));
const text = v.pipe(v.string(), v.maxLength(100));

/**
 * A member that may be missing, null or odd in any object of Stripe. It is then `undefined`, and costs
 * only what is read from it. All other members are demanded: without them nothing in the object can be
 * believed.
 */
function own<const S extends v.GenericSchema>(schema: S) {
  return v.fallback(v.optional(schema), undefined);
}

/** The id of another object, also where Stripe sends that object whole. */
const reference = v.union([
  id,
  v.pipe(
    v.object({ id }),
    v.transform((whole) => whole.id),
  ),
]);

/** A balance transaction: whole where a list was asked for it, else its id. */
const booking = v.union([
  v.object({ created: own(seconds) }),
  v.pipe(
    id,
    v.transform((): { readonly created?: number } => ({})),
  ),
]);

/** The texts in the metadata; empty if there are none. */
const metadata = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((found): Metadata => metadataOf({ metadata: found }) ?? {}),
  ),
  {},
);

/** The members of a Charge that the adapter uses. Its card is read apart. */
const charge = v.object({
  amount_captured: own(minor),
  balance_transaction: own(v.object({ created: own(seconds) })),
  created: own(seconds),
  failure_code: own(v.string()),
  outcome: own(v.object({ advice_code: own(v.string()), reason: own(v.string()) })),
  payment_method_details: v.optional(v.unknown()),
  status: own(v.string()),
});

export const intentShape = v.object({
  id,
  object: v.literal('payment_intent'),
  amount: minor,
  amount_capturable: own(minor),
  amount_details: own(v.object({ tip: own(v.object({ amount: own(minor) })) })),
  amount_received: own(minor),
  // `null`: none.
  application_fee_amount: own(v.nullable(minor)),
  client_secret: own(secret),
  created: own(seconds),
  currency,
  last_payment_error: own(
    v.object({
      advice_code: own(v.string()),
      code: own(v.string()),
      decline_code: own(v.string()),
    }),
  ),
  // An id instead of the charge says nothing about it.
  latest_charge: own(charge),
  livemode: v.boolean(),
  metadata,
  payment_method_types: own(v.array(v.string())),
  status: v.string(),
  transfer_data: own(v.object({ destination: own(reference) })),
});
export type Intent = v.InferOutput<typeof intentShape>;

/** The payment methods of an intent: of the requested ones, all that the account can take. */
export const methodsShape = v.object({ payment_method_types: v.array(v.string()) });

/** A page of a list. Each item is read alone, so that none hides the others. */
export const listShape = v.object({ data: v.array(v.unknown()), has_more: v.boolean() });

/** An object in a list, parsed only as far as its place. */
const listedShape = v.looseObject({
  id: own(v.pipe(v.string(), v.minLength(1), v.maxLength(255))),
  created: own(seconds),
});
export type Listed = v.InferOutput<typeof listedShape>;

/** The object with its place in the list, as far as the place can be read. */
export function toListed(item: unknown): Listed {
  const parsed = v.safeParse(listedShape, item);
  return parsed.success ? parsed.output : {};
}

/** The object that a change of the balance is about, read with it. */
const source = v.looseObject({ id, object: own(v.string()), original_payout: own(reference) });

/** The members of a BalanceTransaction that its sum needs. */
export const balanceShape = v.object({
  amount: signed,
  currency: own(currency),
  description: own(v.string()),
  net: signed,
  source: own(source),
  type: own(v.string()),
});
export type Balance = v.InferOutput<typeof balanceShape>;

/** The members of a BalanceTransaction of ours. Its sums prove each other. */
export const entryShape = v.object({
  id,
  amount: signed,
  currency,
  fee: signed,
  fee_details: v.array(v.object({ amount: signed, currency, type: v.string() })),
  net: signed,
  source,
});
export type BalanceEntry = v.InferOutput<typeof entryShape>;

/** The platform's fee on a charge; `null` without one. */
export const chargedFeeShape = v.object({ application_fee_amount: v.nullable(minor) });

export const payoutShape = v.object({
  id,
  amount: signed,
  arrival_date: own(seconds),
  currency,
  failure_code: own(text),
  original_payout: own(reference),
  reversed_by: own(reference),
  livemode: own(v.boolean()),
  reconciliation_status: own(v.string()),
  status: v.string(),
});

const attempt = v.object({ created: own(seconds), status: own(v.string()) });

export const setupShape = v.object({
  id,
  object: v.literal('setup_intent'),
  client_secret: own(secret),
  // `null`: none.
  customer: own(v.nullable(reference)),
  latest_attempt: own(attempt),
  livemode: v.boolean(),
  metadata,
  // Whole, where the read asked for it.
  payment_method: own(
    v.union([
      v.object({ id, customer: own(v.nullable(reference)) }),
      v.pipe(
        id,
        v.transform((id) => ({ id, customer: undefined })),
      ),
    ]),
  ),
  status: v.string(),
});
export type Setup = v.InferOutput<typeof setupShape>;

/** A saved card. Without a customer (`null`) it bears one payment. */
export const methodShape = v.object({
  id,
  object: v.literal('payment_method'),
  customer: own(v.nullable(reference)),
});

export const tokenShape = v.object({ secret });

export const customerShape = v.object({
  id,
  object: v.literal('customer'),
  created: own(seconds),
  livemode: v.boolean(),
  metadata,
});
export type Customer = v.InferOutput<typeof customerShape>;
export const customersShape = v.object({ data: v.array(v.unknown()) });

export const customerSessionShape = v.object({
  client_secret: secret,
  customer: own(reference),
  livemode: own(v.boolean()),
});

const receipt = v.object({
  account_type: own(text),
  application_cryptogram: own(text),
  application_preferred_name: own(text),
  authorization_code: own(text),
  authorization_response_code: own(text),
  cardholder_verification_method: own(text),
  dedicated_file_name: own(text),
  terminal_verification_results: own(text),
  transaction_status_information: own(text),
});
/** How a card was read in person, or the details of a saved one. */
const read = v.object({
  amount_authorized: own(minor),
  brand: own(v.string()),
  capture_before: own(seconds),
  exp_month: own(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(12))),
  exp_year: own(v.pipe(v.number(), v.integer(), v.minValue(1000), v.maxValue(9999))),
  funding: own(v.string()),
  last4: own(v.pipe(v.string(), v.regex(/^\d{4}$/))),
  receipt: own(receipt),
  wallet: own(v.object({ type: own(v.string()) })),
});
export type CardRead = v.InferOutput<typeof read>;

const details = v.object({
  card_present: own(read),
  interac_present: own(read),
  card: own(read),
});

/** The card of a charge; `undefined` for another kind of payment. */
export function cardRead(chargeDetails: unknown): CardRead | undefined {
  const found = v.safeParse(details, chargeDetails);
  return found.success
    ? (found.output.card_present ?? found.output.interac_present ?? found.output.card)
    : undefined;
}

export const accountShape = v.object({
  object: v.literal('account'),
  capabilities: own(v.object({ card_payments: own(v.string()), transfers: own(v.string()) })),
  charges_enabled: own(v.boolean()),
  country: own(v.string()),
  default_currency: own(v.string()),
  payouts_enabled: own(v.boolean()),
  requirements: own(v.object({ disabled_reason: own(v.string()) })),
});
export type Account = v.InferOutput<typeof accountShape>;

/** A deleted location has neither address nor country. */
export const locationShape = v.object({
  object: v.literal('terminal.location'),
  deleted: own(v.boolean()),
  address: own(v.object({ country: own(v.string()) })),
});

export const webhookEndpointsShape = v.object({
  data: v.array(
    v.object({
      url: v.string(),
      status: v.string(),
      enabled_events: v.array(v.string()),
      api_version: own(v.string()),
      // `null`: none.
      application: own(v.nullable(v.string())),
    }),
  ),
});
export type WebhookEndpoint = v.InferOutput<typeof webhookEndpointsShape>['data'][number];

export const eventShape = v.object({
  id,
  object: v.literal('event'),
  account: own(v.string()),
  api_version: own(v.string()),
  // The account of an event for an organization.
  context: own(v.string()),
  created: own(seconds),
  data: v.object({ object: v.unknown(), previous_attributes: v.optional(v.unknown()) }),
  livemode: own(v.boolean()),
  type: v.string(),
});
export type StripeEvent = v.InferOutput<typeof eventShape>;

/** A notification of the second version of Stripe's event API. */
export const thinEventShape = v.object({ object: v.literal('v2.core.event') });

export const refundedShape = v.object({
  amount_refunded: minor,
  captured: own(v.boolean()),
  payment_intent: own(reference),
});
/** The members that the event has changed. */
export const refundedBeforeShape = v.object({
  amount_refunded: own(minor),
  captured: own(v.boolean()),
});
export const refundShape = v.object({
  id,
  amount: minor,
  created: own(seconds),
  currency,
  // `null`: nothing was booked.
  balance_transaction: own(v.nullable(booking)),
  failure_balance_transaction: own(booking),
  status: own(v.string()),
  failure_reason: own(text),
  pending_reason: own(text),
  metadata,
  payment_intent: own(reference),
  transfer_reversal: own(reference),
});
export type Refund = v.InferOutput<typeof refundShape>;
export const disputeShape = v.object({
  id,
  amount: minor,
  created: own(seconds),
  balance_transactions: own(v.array(v.object({ amount: signed, created: own(seconds), currency }))),
  currency: own(currency),
  evidence_details: own(v.object({ due_by: own(seconds) })),
  is_charge_refundable: own(v.boolean()),
  payment_intent: own(reference),
  reason: own(text),
  status: own(v.string()),
});
export type Dispute = v.InferOutput<typeof disputeShape>;

/** A bank's report of fraud. */
export const warningShape = v.object({
  actionable: own(v.boolean()),
  payment_intent: own(reference),
});

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
