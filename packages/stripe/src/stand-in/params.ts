import type Stripe from 'stripe';
import type { Form } from './form.ts';
import { invalid, Refusal } from './reply.ts';

/** What a parameter looks like, as it follows from the SDK's own type of it. */
type Rule<T, O = Exclude<T, string | number | boolean>> = [T] extends [boolean]
  ? 'boolean'
  : [T] extends [number]
    ? 'integer'
    : [T] extends [string]
      ? 'string'
      : [O] extends [readonly string[]]
        ? 'strings'
        : string extends keyof O
          ? 'map'
          : Rules<O>;
type Rules<P> = { readonly [K in keyof P]?: Rule<NonNullable<P[K]>> };

type AnyRule =
  | 'boolean'
  | 'integer'
  | 'string'
  | 'strings'
  | 'map'
  | { readonly [n: string]: AnyRule };

/**
 * The parameters that each call takes here. Names and kinds are checked against the SDK's types:
 * what Stripe does not have cannot be written down, and what is not written down is refused.
 */
export const rules = {
  createPaymentIntent: {
    amount: 'integer',
    currency: 'string',
    allowed_payment_method_types: 'strings',
    capture_method: 'string',
    description: 'string',
    expand: 'strings',
    metadata: 'map',
    on_behalf_of: 'string',
    transfer_data: { destination: 'string' },
  } satisfies Rules<Stripe.PaymentIntentCreateParams>,
  retrievePaymentIntent: { expand: 'strings' } satisfies Rules<Stripe.PaymentIntentRetrieveParams>,
  listPaymentIntents: {
    created: { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' },
    expand: 'strings',
    limit: 'integer',
    starting_after: 'string',
  } satisfies Rules<Stripe.PaymentIntentListParams>,
  capturePaymentIntent: {
    amount_to_capture: 'integer',
    expand: 'strings',
  } satisfies Rules<Stripe.PaymentIntentCaptureParams>,
  cancelPaymentIntent: {
    cancellation_reason: 'string',
    expand: 'strings',
  } satisfies Rules<Stripe.PaymentIntentCancelParams>,
  retrieveCharge: { expand: 'strings' } satisfies Rules<Stripe.ChargeRetrieveParams>,
  createConnectionToken: {
    location: 'string',
  } satisfies Rules<Stripe.Terminal.ConnectionTokenCreateParams>,
  retrieveLocation: {} satisfies Rules<Stripe.Terminal.LocationRetrieveParams>,
  createSetupIntent: {
    allowed_payment_method_types: 'strings',
    customer: 'string',
    metadata: 'map',
    usage: 'string',
  } satisfies Rules<Stripe.SetupIntentCreateParams>,
  retrieveSetupIntent: { expand: 'strings' } satisfies Rules<Stripe.SetupIntentRetrieveParams>,
  cancelSetupIntent: { expand: 'strings' } satisfies Rules<Stripe.SetupIntentCancelParams>,
  listSetupIntents: {
    created: { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' },
    limit: 'integer',
    starting_after: 'string',
  } satisfies Rules<Stripe.SetupIntentListParams>,
  createCustomer: { metadata: 'map' } satisfies Rules<Stripe.CustomerCreateParams>,
  listCustomers: {
    created: { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' },
    limit: 'integer',
    starting_after: 'string',
  } satisfies Rules<Stripe.CustomerListParams>,
  searchCustomers: {
    query: 'string',
    limit: 'integer',
  } satisfies Rules<Stripe.CustomerSearchParams>,
  createCustomerSession: {
    customer: 'string',
    components: {
      mobile_payment_element: {
        enabled: 'boolean',
        features: {
          payment_method_redisplay: 'string',
          payment_method_remove: 'string',
          payment_method_save: 'string',
        },
      },
    },
  } satisfies Rules<Stripe.CustomerSessionCreateParams>,
  retrieveAccount: {} satisfies Rules<Stripe.AccountRetrieveParams>,
} as const;

/** The calls that the stand-in knows. */
export type Route = keyof typeof rules;

const required: Partial<Readonly<Record<Route, readonly string[]>>> = {
  createPaymentIntent: ['amount', 'currency'] satisfies (keyof Stripe.PaymentIntentCreateParams)[],
  searchCustomers: ['query'] satisfies (keyof Stripe.CustomerSearchParams)[],
  createCustomerSession: ['components'] satisfies (keyof Stripe.CustomerSessionCreateParams)[],
};

/** Refuses a parameter that the call does not take, and a value of another kind. */
export function checkParams(route: Route, form: Form): void {
  check(rules[route], form, '');
  for (const name of required[route] ?? []) {
    if (form[name] !== undefined) continue;
    const message = `Missing required param: ${name}.`;
    throw new Refusal(invalid(message, { code: 'parameter_missing', param: name }));
  }
}

function check(rule: { readonly [name: string]: AnyRule }, form: Form, prefix: string): void {
  for (const [name, value] of Object.entries(form)) {
    const param = prefix === '' ? name : `${prefix}[${name}]`;
    const inner = Object.hasOwn(rule, name) ? rule[name] : undefined;
    if (inner === undefined) {
      const message = `Received unknown parameter: ${param}`;
      throw new Refusal(invalid(message, { code: 'parameter_unknown', param }));
    }
    if (typeof inner === 'object' && typeof value === 'object') check(inner, value, param);
    else if (!isOfKind(inner, value)) {
      throw new Refusal(invalid(`Invalid ${param}`, { code: 'parameter_invalid', param }));
    }
  }
}

function isOfKind(rule: AnyRule, value: string | Form): boolean {
  switch (rule) {
    case 'integer':
      return typeof value === 'string' && /^-?\d+$/.test(value);
    case 'boolean':
      return value === 'true' || value === 'false';
    case 'string':
      return typeof value === 'string' && value !== '';
    case 'strings':
      return typeof value === 'object' && Object.keys(value).every((key) => /^\d+$/.test(key));
    case 'map':
      return typeof value === 'object' && Object.values(value).every((v) => typeof v === 'string');
    default:
      return false;
  }
}

export function textOf(form: Form, name: string): string | undefined {
  const value = form[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(form: Form, name: string): number | undefined {
  const value = textOf(form, name);
  return value === undefined ? undefined : Number(value);
}

export function mapOf(form: Form, name: string): Readonly<Record<string, string>> {
  const value = form[name];
  const entries = typeof value === 'object' ? Object.entries(value) : [];
  return Object.fromEntries(entries.flatMap(([k, v]) => (typeof v === 'string' ? [[k, v]] : [])));
}

export function listOf(form: Form, name: string): readonly string[] {
  return Object.values(mapOf(form, name));
}
