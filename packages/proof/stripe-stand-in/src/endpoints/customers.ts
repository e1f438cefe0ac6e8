import type Stripe from 'stripe';
import type { Books } from '../books.ts';
import type { Endpoints } from '../endpoint.ts';
import { type Method, shownMethod } from '../method.ts';
import { found, invalid, missing, refuse } from '../reply.ts';
import { page, pageParams } from './page.ts';

const sessionSeconds = 1800;

export const customerEndpoints = {
  createCustomer: {
    at: 'POST /v1/customers',
    params: { metadata: 'map' },
    run(own, { params }) {
      const customer: Stripe.Customer = {
        id: own.nextId('cus'),
        object: 'customer',
        address: null,
        balance: 0,
        created: own.now(),
        currency: null,
        default_source: null,
        delinquent: false,
        description: null,
        discount: null,
        email: null,
        invoice_prefix: 'CHAIR',
        invoice_settings: {
          custom_fields: null,
          default_payment_method: null,
          footer: null,
          rendering_options: null,
        },
        livemode: own.livemode,
        metadata: params.metadata ?? {},
        name: null,
        next_invoice_sequence: 1,
        phone: null,
        preferred_locales: [],
        shipping: null,
        tax_exempt: 'none',
        test_clock: null,
      };
      own.customers.set(customer.id, customer);
      return found(customer);
    },
  },

  listCustomers: {
    at: 'GET /v1/customers',
    params: pageParams,
    run: (own, { params }) => page('/v1/customers', params, own.customers, (customer) => customer),
  },

  searchCustomers: {
    at: 'GET /v1/customers/search',
    params: { query: 'string', limit: 'integer' },
    required: ['query'],
    run(own, { params }) {
      const { searchLagSeconds } = own.switches;
      if (searchLagSeconds === 'noSearch') {
        return invalid('Search is not available in your country.');
      }
      const [, name = '', value = ''] =
        /^metadata\['([^']+)'\]:'([^']*)'$/.exec(params.query ?? '') ?? [];
      if (name === '') return invalid('The stand-in searches only for one metadata value.');
      // Stripe's own index lags.
      const data = [...own.customers.values()].filter(
        ({ created, metadata }) =>
          metadata[name] === value && created <= own.now() - searchLagSeconds,
      );
      const url = '/v1/customers/search';
      return found({ object: 'search_result', data, has_more: false, next_page: null, url });
    },
  },

  // Behind the search, whose path fits it too.
  retrieveCustomer: {
    at: 'GET /v1/customers/{id}',
    params: {},
    run(own, { id }) {
      if (own.deletedCustomers.has(id)) return found(deletedCustomer(id));
      return found(own.customers.get(id) ?? refuse(missing('customer', id, 'id')));
    },
  },

  deleteCustomer: {
    at: 'DELETE /v1/customers/{id}',
    params: {},
    run(own, { id }) {
      if (!own.customers.has(id)) return missing('customer', id, 'id');
      deleteCustomer(own, id);
      return found(deletedCustomer(id));
    },
  },

  createCustomerSession: {
    at: 'POST /v1/customer_sessions',
    params: {
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
    required: ['components'],
    run(own, { params: { customer = '' } }) {
      if (!own.customers.has(customer)) return missing('customer', customer, 'customer', 400);
      return found({
        object: 'customer_session',
        client_secret: own.nextId('cuss_secret'),
        created: own.now(),
        customer,
        customer_account: null,
        expires_at: own.now() + sessionSeconds,
        livemode: own.livemode,
      });
    },
  },
} satisfies Partial<Endpoints>;

/** Deletes a customer for good. Its saved methods have no customer from then on. */
export function deleteCustomer(own: Books, id: string): void {
  own.customers.delete(id);
  own.deletedCustomers.add(id);
  for (const method of own.methods.values()) {
    if (method.customer !== id) continue;
    own.methods.set(method.id, { ...method, customer: null, isUsed: true });
  }
}

function deletedCustomer(id: string): Stripe.DeletedCustomer {
  return { id, object: 'customer', deleted: true };
}

/** @internal Declarations cannot name the parameters of these calls. */
export const methodEndpoints = {
  /** Shares a method of the platform with a connected account. The copy has no customer. */
  createPaymentMethod: {
    at: 'POST /v1/payment_methods',
    params: { customer: 'string', payment_method: 'string' },
    run(own, { params: { customer, payment_method: id } }) {
      if (id === undefined || own.account === undefined) {
        return invalid('The stand-in only shares methods with connected accounts.');
      }
      requireCharges(own, own.account);
      const shared = takeMethod(platformOf(own), id, customer);
      const copy = {
        ...shared,
        id: own.nextId('pm'),
        created: own.now(),
        customer: null,
        isUsed: false,
      };
      own.methods.set(copy.id, copy);
      return found(shownMethod(copy, own.livemode));
    },
  },

  retrievePaymentMethod: {
    at: 'GET /v1/payment_methods/{id}',
    params: {},
    run(own, { id }) {
      const method = own.methods.get(id) ?? refuse(missing('PaymentMethod', id, 'payment_method'));
      return found(shownMethod(method, own.livemode));
    },
  },
} satisfies Partial<Endpoints>;

/**
 * Takes a method for one use in these books. Stripe demands the customer of a saved method, and uses up
 * a method without one.
 */
export function takeMethod(own: Books, id: string, customer: string | undefined): Method {
  const method = own.methods.get(id) ?? refuse(missing('PaymentMethod', id, 'payment_method', 400));
  if (customer !== undefined && !own.customers.has(customer)) {
    refuse(missing('customer', customer, 'customer', 400));
  }
  if (method.isUsed) {
    own.methods.set(id, { ...method, customer: null });
    refuse(
      invalid(
        'The provided PaymentMethod was previously used without a customer, or was detached from one.',
      ),
    );
  }
  if (customer !== undefined && method.customer !== customer) {
    const message = `The customer does not have a payment method with the ID ${id}.`;
    refuse(invalid(message, { param: 'payment_method' }));
  }
  if (customer === undefined && method.customer !== null) {
    refuse(invalid('The payment method belongs to a customer, who is missing in the request.'));
  }
  if (method.customer === null) own.methods.set(id, { ...method, isUsed: true });
  return method;
}

const platformOf = (own: Books) => own.of(undefined);

/** Refuses a request for an account that takes no card payments now. */
export function requireCharges({ accounts }: Books, account: string | undefined): void {
  const known = accounts.get(account ?? '');
  if (account === undefined || (known?.chargesEnabled && known.cardPayments === 'active')) return;
  // Stripe's code for this is not documented. It was seen with this code and without one.
  const isCapability = known?.chargesEnabled === true;
  const about = isCapability ? { code: 'payment_intent_invalid_parameter' as const } : {};
  refuse(invalid('This account cannot take card payments.', about));
}
