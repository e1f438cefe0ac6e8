import type { Books } from '../books.ts';
import type { Endpoints } from '../endpoint.ts';
import { type Method, shownMethod } from '../method.ts';
import { found, invalid, missing, refuse } from '../reply.ts';

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
