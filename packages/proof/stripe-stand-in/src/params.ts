import type Stripe from 'stripe';
import type { Form } from './form.ts';
import { invalid, Refusal } from './reply.ts';
import type { Requests } from './requests.ts';

/** The kind of a parameter, derived from the SDK's type. */
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

/** The parameters of each list. */
const page = {
  created: { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' },
  limit: 'integer',
  starting_after: 'string',
} as const;

/**
 * The parameters of each call. Names and kinds are checked against the SDK's types, so parameters
 * that Stripe lacks do not compile. Unlisted parameters are rejected.
 */
const rules = {
  createPaymentIntent: {
    amount: 'integer',
    application_fee_amount: 'integer',
    currency: 'string',
    allowed_payment_method_types: 'strings',
    capture_method: 'string',
    description: 'string',
    expand: 'strings',
    metadata: 'map',
    on_behalf_of: 'string',
    transfer_data: { destination: 'string' },
  },
  retrievePaymentIntent: { expand: 'strings' },
  listPaymentIntents: { ...page, expand: 'strings' },
  updatePaymentIntent: { description: 'string' },
  capturePaymentIntent: { amount_to_capture: 'integer', expand: 'strings' },
  cancelPaymentIntent: { cancellation_reason: 'string', expand: 'strings' },
  retrieveCharge: { expand: 'strings' },
  createConnectionToken: { location: 'string' },
  createLocation: {
    address: {
      city: 'string',
      country: 'string',
      line1: 'string',
      postal_code: 'string',
      state: 'string',
    },
    display_name: 'string',
  },
  deleteLocation: {},
  createReader: {
    label: 'string',
    location: 'string',
    registration_code: 'string',
  },
  retrieveReader: {},
  processPaymentIntent: { payment_intent: 'string' },
  presentPaymentMethod: {
    card_present: { number: 'string' },
    type: 'string',
  },
  createRefund: {
    amount: 'integer',
    metadata: 'map',
    payment_intent: 'string',
    refund_application_fee: 'boolean',
    reverse_transfer: 'boolean',
  },
  listRefunds: { ...page, expand: 'strings', payment_intent: 'string' },
  listDisputes: { ...page, expand: 'strings', payment_intent: 'string' },
  retrieveLocation: {},
  createSetupIntent: {
    allowed_payment_method_types: 'strings',
    customer: 'string',
    metadata: 'map',
    usage: 'string',
  },
  retrieveSetupIntent: { expand: 'strings' },
  cancelSetupIntent: { expand: 'strings' },
  listSetupIntents: page,
  createCustomer: { metadata: 'map' },
  listCustomers: page,
  searchCustomers: { query: 'string', limit: 'integer' },
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
  },
  retrieveAccount: {},
} as const satisfies { readonly [R in keyof Requests]: Rules<Requests[R]> };

/** The calls of the stand-in. */
export type Route = keyof typeof rules;

const required: Partial<Readonly<Record<Route, readonly string[]>>> = {
  createPaymentIntent: ['amount', 'currency'] satisfies (keyof Stripe.PaymentIntentCreateParams)[],
  searchCustomers: ['query'] satisfies (keyof Stripe.CustomerSearchParams)[],
  createCustomerSession: ['components'] satisfies (keyof Stripe.CustomerSessionCreateParams)[],
};

/** Rejects an unknown parameter, and a value of another kind. */
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
      const isInteger = inner === 'integer';
      const code = isInteger ? { code: 'parameter_invalid_integer' as const } : {};
      throw new Refusal(invalid(`Invalid ${param}`, { ...code, param }));
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
