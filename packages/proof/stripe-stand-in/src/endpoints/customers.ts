import type { Books } from '../books.ts';
import { customerSession, newCustomer } from '../customer.ts';
import { mapOf, textOf } from '../form-values.ts';
import type { Replies } from '../replies.ts';
import { found, invalid, missing, type Reply } from '../reply.ts';
import type { StandInRequest } from '../request.ts';
import { page } from './page.ts';

const sessionSeconds = 1800;

export const customerEndpoints = {
  createCustomer(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['createCustomer']> {
    const customer = newCustomer({
      id: books.nextId('cus'),
      created: books.now(),
      livemode: books.livemode,
      metadata: mapOf(form, 'metadata'),
    });
    books.of(account).customers.set(customer.id, customer);
    return found(customer);
  },

  listCustomers(books: Books, { account, form }: StandInRequest): Reply<Replies['listCustomers']> {
    const { customers } = books.of(account);
    return page('/v1/customers', [...customers.keys()], form, (id) => customers.get(id));
  },

  searchCustomers(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['searchCustomers']> {
    const { searchLagSeconds } = books.switches;
    if (searchLagSeconds === 'noSearch') return invalid('Search is not available in your country.');
    const [, name = '', value = ''] =
      /^metadata\['([^']+)'\]:'([^']*)'$/.exec(textOf(form, 'query') ?? '') ?? [];
    if (name === '') return invalid('The stand-in searches only for one metadata value.');
    // Stripe's own index lags.
    const data = [...books.of(account).customers.values()].filter(
      ({ created, metadata }) =>
        metadata[name] === value && created <= books.now() - searchLagSeconds,
    );
    const url = '/v1/customers/search';
    return found({ object: 'search_result', data, has_more: false, next_page: null, url });
  },

  createCustomerSession(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['createCustomerSession']> {
    const customer = textOf(form, 'customer') ?? '';
    if (!books.of(account).customers.has(customer)) {
      return missing('customer', customer, 'customer', 400);
    }
    return found(
      customerSession({
        client_secret: books.nextId('cuss_secret'),
        created: books.now(),
        customer,
        expires_at: books.now() + sessionSeconds,
        livemode: books.livemode,
      }),
    );
  },
};
