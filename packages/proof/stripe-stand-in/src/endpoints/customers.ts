import type Stripe from 'stripe';
import type { Endpoints } from '../endpoint.ts';
import { found, invalid, missing } from '../reply.ts';
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
