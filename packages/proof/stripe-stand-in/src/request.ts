import type { Form } from './form.ts';
import type { Route } from './params.ts';

/** A request from the wire. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A parsed request. */
export interface StandInRequest {
  readonly route: Route;
  /** The id in its path; empty if there is none. */
  readonly id: string;
  /** The connected account of the request; absent for the platform's own. */
  readonly account?: string;
  readonly form: Form;
}

interface Template {
  readonly method: string;
  readonly pattern: RegExp;
  readonly route: Route;
}

const id = '([\\w-]+)';
const templates: readonly Template[] = (
  [
    ['POST', '/v1/payment_intents', 'createPaymentIntent'],
    ['GET', '/v1/payment_intents', 'listPaymentIntents'],
    ['GET', `/v1/payment_intents/${id}`, 'retrievePaymentIntent'],
    ['POST', `/v1/payment_intents/${id}`, 'updatePaymentIntent'],
    ['POST', `/v1/payment_intents/${id}/capture`, 'capturePaymentIntent'],
    ['POST', `/v1/payment_intents/${id}/cancel`, 'cancelPaymentIntent'],
    ['GET', `/v1/charges/${id}`, 'retrieveCharge'],
    ['POST', '/v1/terminal/connection_tokens', 'createConnectionToken'],
    ['GET', `/v1/terminal/locations/${id}`, 'retrieveLocation'],
    ['POST', '/v1/terminal/locations', 'createLocation'],
    ['DELETE', `/v1/terminal/locations/${id}`, 'deleteLocation'],
    ['POST', '/v1/terminal/readers', 'createReader'],
    ['GET', `/v1/terminal/readers/${id}`, 'retrieveReader'],
    ['POST', `/v1/terminal/readers/${id}/process_payment_intent`, 'processPaymentIntent'],
    [
      'POST',
      `/v1/test_helpers/terminal/readers/${id}/present_payment_method`,
      'presentPaymentMethod',
    ],
    ['POST', '/v1/refunds', 'createRefund'],
    ['GET', '/v1/refunds', 'listRefunds'],
    ['GET', '/v1/disputes', 'listDisputes'],
    ['POST', '/v1/setup_intents', 'createSetupIntent'],
    ['GET', '/v1/setup_intents', 'listSetupIntents'],
    ['GET', `/v1/setup_intents/${id}`, 'retrieveSetupIntent'],
    ['POST', `/v1/setup_intents/${id}/cancel`, 'cancelSetupIntent'],
    ['POST', '/v1/customers', 'createCustomer'],
    ['GET', '/v1/customers', 'listCustomers'],
    ['GET', '/v1/customers/search', 'searchCustomers'],
    ['POST', '/v1/customer_sessions', 'createCustomerSession'],
    ['GET', `/v1/accounts/${id}`, 'retrieveAccount'],
  ] as const
).map(([method, path, route]) => ({ method, pattern: new RegExp(`^${path}$`), route }));

export function matchRoute(
  method: string,
  pathname: string,
): { readonly route: Route; readonly id: string } | undefined {
  for (const { method: expected, pattern, route } of templates) {
    const match = method === expected ? pattern.exec(pathname) : null;
    if (match !== null) return { route, id: match[1] ?? '' };
  }
  return undefined;
}
