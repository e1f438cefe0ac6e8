import type Stripe from 'stripe';
import { invalid, refuse } from './reply.ts';
import type { Form } from './wire.ts';

/** The SDK does not export this type under a name. */
type PresentPaymentMethodParams = NonNullable<
  Parameters<Stripe['testHelpers']['terminal']['readers']['presentPaymentMethod']>[1]
>;

/** The parameters of each call, and the whole object in its reply, as the SDK declares them. */
export interface Calls {
  createPaymentIntent: [Stripe.PaymentIntentCreateParams, Stripe.PaymentIntent];
  retrievePaymentIntent: [Stripe.PaymentIntentRetrieveParams, Stripe.PaymentIntent];
  listPaymentIntents: [Stripe.PaymentIntentListParams, Stripe.ApiList<Stripe.PaymentIntent>];
  updatePaymentIntent: [Stripe.PaymentIntentUpdateParams, Stripe.PaymentIntent];
  capturePaymentIntent: [Stripe.PaymentIntentCaptureParams, Stripe.PaymentIntent];
  cancelPaymentIntent: [Stripe.PaymentIntentCancelParams, Stripe.PaymentIntent];
  retrieveCharge: [Stripe.ChargeRetrieveParams, Stripe.Charge];
  createRefund: [Stripe.RefundCreateParams, Stripe.Refund];
  listRefunds: [Stripe.RefundListParams, Stripe.ApiList<Stripe.Refund>];
  listDisputes: [Stripe.DisputeListParams, Stripe.ApiList<Stripe.Dispute>];
  listBalanceTransactions: [
    Stripe.BalanceTransactionListParams,
    Stripe.ApiList<Stripe.BalanceTransaction>,
  ];
  listPayouts: [Stripe.PayoutListParams, Stripe.ApiList<Stripe.Payout>];
  createConnectionToken: [
    Stripe.Terminal.ConnectionTokenCreateParams,
    Stripe.Terminal.ConnectionToken,
  ];
  createLocation: [Stripe.Terminal.LocationCreateParams, AnyLocation];
  retrieveLocation: [Stripe.Terminal.LocationRetrieveParams, AnyLocation];
  deleteLocation: [Stripe.Terminal.LocationDeleteParams, AnyLocation];
  createReader: [Stripe.Terminal.ReaderCreateParams, Stripe.Terminal.Reader];
  retrieveReader: [Stripe.Terminal.ReaderRetrieveParams, Stripe.Terminal.Reader];
  processPaymentIntent: [Stripe.Terminal.ReaderProcessPaymentIntentParams, Stripe.Terminal.Reader];
  presentPaymentMethod: [PresentPaymentMethodParams, Stripe.Terminal.Reader];
  createSetupIntent: [Stripe.SetupIntentCreateParams, Stripe.SetupIntent];
  confirmSetupIntent: [Stripe.SetupIntentConfirmParams, Stripe.SetupIntent];
  retrieveSetupIntent: [Stripe.SetupIntentRetrieveParams, Stripe.SetupIntent];
  cancelSetupIntent: [Stripe.SetupIntentCancelParams, Stripe.SetupIntent];
  listSetupIntents: [Stripe.SetupIntentListParams, Stripe.ApiList<Stripe.SetupIntent>];
  createPaymentMethod: [Stripe.PaymentMethodCreateParams, Stripe.PaymentMethod];
  retrievePaymentMethod: [Stripe.PaymentMethodRetrieveParams, Stripe.PaymentMethod];
  createCustomer: [Stripe.CustomerCreateParams, Stripe.Customer];
  retrieveCustomer: [Stripe.CustomerRetrieveParams, Stripe.Customer | Stripe.DeletedCustomer];
  deleteCustomer: [Stripe.CustomerDeleteParams, Stripe.DeletedCustomer];
  listCustomers: [Stripe.CustomerListParams, Stripe.ApiList<Stripe.Customer>];
  searchCustomers: [Stripe.CustomerSearchParams, Stripe.ApiSearchResult<Stripe.Customer>];
  createCustomerSession: [Stripe.CustomerSessionCreateParams, Stripe.CustomerSession];
  listWebhookEndpoints: [Stripe.WebhookEndpointListParams, Stripe.ApiList<Stripe.WebhookEndpoint>];
  retrieveAccount: [Stripe.AccountRetrieveParams, Stripe.Account];
}
type AnyLocation = Stripe.Terminal.Location | Stripe.Terminal.DeletedLocation;

export type Route = keyof Calls;

/** The kind of a parameter, and its value, derived from the SDK's type. */
type Kind<T, O = Exclude<T, string | number | boolean>> = [T] extends [boolean]
  ? ['boolean', boolean]
  : [T] extends [number]
    ? ['integer', number]
    : // A text, or a boolean that is written as one.
      [T] extends [string | boolean]
      ? ['string', string]
      : [O] extends [readonly string[]]
        ? ['strings', readonly string[]]
        : string extends keyof O
          ? ['map', Readonly<Record<string, string>>]
          : [Rules<O>, Params<O>];
export type Rules<P> = { readonly [K in keyof P]?: Kind<NonNullable<P[K]>>[0] };
export type Params<P> = { readonly [K in keyof P]?: Kind<NonNullable<P[K]>>[1] };

interface AnyRules {
  readonly [name: string]: keyof typeof kinds | AnyRules | undefined;
}

/** Reads a value of each kind; `undefined` for a value of another kind. */
const kinds = {
  boolean: (value: string | Form) =>
    value === 'true' || value === 'false' ? value === 'true' : undefined,
  integer: (value: string | Form) =>
    typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined,
  string: (value: string | Form) => (typeof value === 'string' && value !== '' ? value : undefined),
  strings: (value: string | Form) =>
    isMap(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
      ? Object.values(value)
      : undefined,
  map: (value: string | Form) => (isMap(value) ? value : undefined),
} as const;

function isMap(value: string | Form): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && Object.values(value).every((v) => typeof v === 'string');
}

/** Rejects an unknown parameter, a value of another kind, and a missing parameter. */
export function readParams<P>(rules: Rules<P>, required: readonly string[], form: Form): Params<P> {
  const read = readForm(rules, form, '');
  for (const name of required) {
    if (name in read) continue;
    const message = `Missing required param: ${name}.`;
    refuse(invalid(message, { code: 'parameter_missing', param: name }));
  }
  // cast: the rules, which the form follows, are derived from this type
  return read as Params<P>;
}

function readForm(rules: AnyRules, form: Form, prefix: string): object {
  const read = Object.entries(form).map(([name, value]) => {
    const param = prefix === '' ? name : `${prefix}[${name}]`;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const message = `Received unknown parameter: ${param}`;
      return refuse(invalid(message, { code: 'parameter_unknown', param }));
    }
    if (typeof rule === 'object' && typeof value === 'object') {
      return [name, readForm(rule, value, param)];
    }
    const found = typeof rule === 'object' ? undefined : kinds[rule](value);
    if (found !== undefined) return [name, found];
    const code = rule === 'integer' ? { code: 'parameter_invalid_integer' as const } : {};
    return refuse(invalid(`Invalid ${param}`, { ...code, param }));
  });
  return Object.fromEntries(read);
}
